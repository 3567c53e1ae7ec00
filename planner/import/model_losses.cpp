// Checks the options about outputs and losses, and lays the losses over layers.
#include "planner/import/model_losses.hpp"

#include <algorithm>

#include "planner/import/onnx/printable.hpp"

namespace cnnplan {
namespace {

std::string chosen_output(const OnnxGraph& graph, const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  return graph.outputs.empty() ? "" : graph.outputs.front().name;
}

LayerParameters loss_of(const std::string& loss) {
  if (loss == "cross_entropy") return SoftmaxCrossEntropy{};
  if (loss == "mean_squared_error") return MeanSquaredError{};
  throw InputError({.file = "--loss",
                    .pointer = "",
                    .value = '"' + printable(loss) + '"',
                    .allowed = "cross_entropy or mean_squared_error"});
}

LayerParameters weighted(const LayerParameters& loss, double weight) {
  if (std::holds_alternative<MeanSquaredError>(loss)) return MeanSquaredError{.weight = weight};
  return SoftmaxCrossEntropy{.weight = weight};
}

}  // namespace

ModelLosses::ModelLosses(const OnnxGraph& graph, const ImportOptions& options)
    : loss_(loss_of(options.loss)),
      main_output_(chosen_output(graph, options.output)),
      auxiliary_(parse_auxiliary(options.auxiliary, main_output_)) {}

std::vector<std::string> ModelLosses::outputs() const {
  std::vector<std::string> names;
  for (const AuxiliaryOutput& output : auxiliary_) names.push_back(output.name);
  names.push_back(main_output_);
  return names;
}

void ModelLosses::require_nodes(const OnnxGraph& graph, const std::string& file) const {
  for (const std::string& wanted : outputs()) {
    const bool is_made = std::any_of(graph.nodes.begin(), graph.nodes.end(), [&](const auto& n) {
      return std::find(n.outputs.begin(), n.outputs.end(), wanted) != n.outputs.end();
    });
    if (is_made) continue;
    std::string known;
    for (const OnnxValue& output : graph.outputs) {
      known += (known.empty() ? "'" : ", '") + printable(output.name) + '\'';
    }
    throw InputError({.file = file,
                      .pointer = "output '" + printable(wanted) + '\'',
                      .value = "no node that makes it",
                      .allowed = "an output of the model (" + known + ") or of a node"});
  }
}

std::vector<std::string> ModelLosses::notes(const OnnxGraph& graph) const {
  const std::vector<std::string> kept = outputs();
  std::vector<std::string> notes;
  for (const OnnxValue& output : graph.outputs) {
    if (std::find(kept.begin(), kept.end(), output.name) != kept.end()) continue;
    notes.push_back("left out the output '" + printable(output.name) +
                    "': --auxiliary NAME=WEIGHT gives it a loss of its own, --main-output chooses "
                    "another main output");
  }
  return notes;
}

std::vector<OutputLoss> ModelLosses::losses(
    const std::function<LayerIndex(const std::string&)>& layer_of,
    const NetworkBuilder& network,
    const std::string& file) const {
  const LayerIndex main = layer_of(main_output_);
  std::vector<OutputLoss> losses;
  for (const AuxiliaryOutput& auxiliary : auxiliary_) {
    const LayerIndex layer = layer_of(auxiliary.name);
    if (network.shape(layer) != network.shape(main)) {
      throw InputError({.file = file,
                        .pointer = "output '" + printable(auxiliary.name) + '\'',
                        .value = to_text(network.shape(layer)),
                        .allowed = to_text(network.shape(main)) + ", as the main output '" +
                                   printable(main_output_) +
                                   "': both compare with the same labels"});
    }
    losses.push_back({.name = auxiliary.name + "_loss",
                      .output = layer,
                      .parameters = weighted(loss_, auxiliary.weight)});
  }
  losses.push_back({.name = "loss", .output = main, .parameters = loss_});
  return losses;
}

}  // namespace cnnplan
