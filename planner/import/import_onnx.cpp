// Maps the nodes in the order of the file, and collects the nodes that cannot be mapped.
#include "planner/import/import_onnx.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "planner/base/file.hpp"
#include "planner/import/folding/constant_folding.hpp"
#include "planner/import/network_builder.hpp"
#include "planner/import/onnx/auxiliary_outputs.hpp"
#include "planner/import/onnx/input_dims.hpp"
#include "planner/import/onnx/live_nodes.hpp"
#include "planner/import/onnx/printable.hpp"
#include "planner/import/onnx/tensor_values.hpp"
#include "planner/import/onnx/unmapped.hpp"
#include "planner/import/operators.hpp"

namespace cnnplan {
namespace {

std::string chosen_output(const OnnxGraph& graph, const std::string& wanted) {
  if (!wanted.empty()) return wanted;
  return graph.outputs.empty() ? "" : graph.outputs.front().name;
}

// Returns "resnet50" for "models/resnet50.onnx".
std::string network_name(const std::string& file) {
  const std::string name = base_name(file);
  const std::string stem = name.substr(0, name.rfind('.'));
  return printable(stem.empty() ? name : stem);
}

// Says what is known about the output of a node whose inputs are unknown.
Unknown unknown_of(const NodeReader& reader) {
  const std::string& type = reader.node().type;
  return {.is_activation = type != "Shape" && type != "Constant" && reader.has_activation()};
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

class Importer {
 public:
  Importer(const OnnxGraph& graph, const std::string& file, const ImportOptions& options)
      : graph_(graph),
        file_(file),
        loss_(loss_of(options.loss)),
        output_(chosen_output(graph, options.output)),
        auxiliary_(parse_auxiliary(options.auxiliary, output_)),
        live_(live_nodes(graph, outputs())),
        names_of_outputs_(names_of_outputs(live_, outputs())),
        builder_(file, live_.uses) {
    require_outputs();
    set_inputs(options.input);
  }

  ImportedModel run();

 private:
  void require_outputs() const;
  void set_inputs(const std::string& size);
  void map(const OnnxNode& node);
  std::vector<Value> outputs_of(const NodeReader& reader);
  Value folded(const NodeReader& reader);
  Value left_out_softmax(const NodeReader& reader);
  Value as_passed_on(const OnnxNode& node, Value value) const;
  void set_outputs(const OnnxNode& node, const std::vector<Value>& made);
  // Lists all outputs that have losses, the main one last.
  std::vector<std::string> outputs() const;
  void note_dropped_outputs();
  const Activation& output_of_layer(const std::string& name) const;
  std::vector<OutputLoss> losses() const;

  const OnnxGraph& graph_;
  const std::string& file_;
  LayerParameters loss_;
  std::string output_;
  std::vector<AuxiliaryOutput> auxiliary_;
  LiveNodes live_;
  std::set<std::string> names_of_outputs_;
  NetworkBuilder builder_;
  Values values_;
  std::int64_t folded_elements_ = 0;
  bool has_too_many_constants_ = false;
  std::vector<Refusal> refusals_;
  std::vector<std::string> notes_;
};

// Checks that some node makes each output.
void Importer::require_outputs() const {
  for (const std::string& wanted : outputs()) {
    const bool is_made = std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const auto& n) {
      return std::find(n.outputs.begin(), n.outputs.end(), wanted) != n.outputs.end();
    });
    if (is_made) continue;
    std::string known;
    for (const OnnxValue& output : graph_.outputs) {
      known += (known.empty() ? "'" : ", '") + printable(output.name) + '\'';
    }
    throw InputError({.file = file_,
                      .pointer = "output '" + printable(wanted) + '\'',
                      .value = "no node that makes it",
                      .allowed = "an output of the model (" + known + ") or of a node"});
  }
}

void Importer::set_inputs(const std::string& size) {
  for (const auto& [name, tensor] : graph_.initializers) values_.emplace(name, Constant{tensor});
  std::vector<const OnnxValue*> used;
  for (const OnnxValue& input : graph_.inputs) {
    if (live_.uses.contains(input.name)) used.push_back(&input);
  }
  if (used.size() != 1) {
    throw InputError({.file = file_,
                      .pointer = "",
                      .value = std::to_string(used.size()) + " inputs that the output '" +
                               printable(output_) + "' is made of",
                      .allowed = "one: samples"});
  }
  if (!used[0]->is_real) {
    throw InputError({.file = file_,
                      .pointer = "input '" + printable(used[0]->name) + '\'',
                      .value = "values that are no real numbers",
                      .allowed = "samples of real numbers"});
  }
  const OnnxValue& input = *used[0];
  values_.insert_or_assign(input.name,
                           builder_.add_input(input.name, input_dims(input, size, file_)));
}

std::vector<Value> Importer::outputs_of(const NodeReader& reader) {
  const OnnxNode& node = reader.node();
  if (!node.domain.empty()) throw UnmappedNode("an operator of the domain '" + node.domain + '\'');
  const bool is_softmax = node.type == "Softmax" || node.type == "LogSoftmax";
  const MapNode map_node = find_operator(node.type);
  if (!is_softmax && map_node == nullptr && !can_fold(node.type)) {
    throw UnmappedNode("no layer computes this");
  }
  const bool only_folds = map_node == nullptr && !is_softmax;
  if (only_folds && reader.has_activation()) throw UnmappedNode("computes with activations");
  if (reader.is_input_unknown()) {
    return std::vector<Value>(node.outputs.size(), unknown_of(reader));
  }
  if (can_fold(node.type) && reader.are_inputs_constant()) return {folded(reader)};
  if (is_softmax) return {left_out_softmax(reader)};
  return map_node(reader, builder_);
}

Value Importer::folded(const NodeReader& reader) {
  constexpr std::int64_t most_elements = std::int64_t{1} << 22;  // all folded constants together
  Value value = fold(reader);
  if (const auto* const constant = std::get_if<Constant>(&value)) {
    folded_elements_ += element_count(*constant->tensor);
  }
  if (folded_elements_ <= most_elements) return value;
  if (std::exchange(has_too_many_constants_, true)) return Unknown{};  // reported once
  throw UnmappedNode("too many constants to compute, here and behind it");
}

// In older opsets, one softmax goes over all dims from the axis on.
Value Importer::left_out_softmax(const NodeReader& reader) {
  constexpr std::int64_t first_of_one_axis = 13;
  const OnnxNode& node = reader.node();
  if (node.outputs.empty() || !names_of_outputs_.contains(node.outputs[0])) {
    throw UnmappedNode("a softmax that is not the output");
  }
  if (!std::holds_alternative<SoftmaxCrossEntropy>(loss_)) {
    throw UnmappedNode("a softmax, which only the loss cross_entropy has");
  }
  const Activation x = reader.activation(0);
  const bool is_of_one_axis = graph_.opset >= first_of_one_axis;
  const std::int64_t axis = reader.integer("axis", is_of_one_axis ? -1 : 1);
  const bool has_image =
      std::any_of(x.dims.begin() + 2, x.dims.end(), [](auto n) { return n > 1; });
  if (normal_axis(axis, x.dims.size()) != 1 || (has_image && !is_of_one_axis)) {
    throw UnmappedNode("a softmax over other dims than the channels");
  }
  notes_.push_back("left out " + printable(to_text(node)) + ": the loss has a softmax of its own");
  return x;
}

// If other nodes also use the input of a node that passes it on, the value no longer counts as the
// layer's own output.
Value Importer::as_passed_on(const OnnxNode& node, Value value) const {
  auto* const activation = std::get_if<Activation>(&value);
  if (activation == nullptr) return value;
  for (const std::string& input : node.inputs) {
    const auto found = values_.find(input);
    if (found == values_.end() || builder_.is_used_once(input)) continue;
    const auto* const source = std::get_if<Activation>(&found->second);
    if (source != nullptr && source->layer == activation->layer)
      activation->is_layer_output = false;
  }
  return value;
}

void Importer::set_outputs(const OnnxNode& node, const std::vector<Value>& made) {
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const std::string& output = node.outputs[i];
    if (output.empty()) continue;
    const Value value = i < made.size() ? as_passed_on(node, made[i]) : Unknown{};
    const bool is_new = values_.emplace(output, value).second;
    if (!is_new) throw UnmappedNode("makes '" + output + "', which there is already");
    if (i >= made.size() && live_.uses.contains(output)) {
      throw UnmappedNode("its output '" + output + "' is used, of which there is none in layers");
    }
  }
}

void Importer::map(const OnnxNode& node) {
  const NodeReader reader(node, values_, graph_.opset);
  const auto refuse = [&](const std::string& reason) {
    const std::string output = node.outputs.empty() ? "" : node.outputs.front();
    refusals_.push_back({node.name.empty() ? output : node.name, node.type, reason});
    const Unknown unknown{.is_activation = true};
    for (const std::string& own : node.outputs) values_.try_emplace(own, unknown);
  };
  try {
    set_outputs(node, outputs_of(reader));
  } catch (const UnmappedNode& unmapped) {
    refuse(unmapped.what());
  } catch (const InputError& error) {
    refuse("got " + error.problem().value + "; allowed: " + error.problem().allowed);
  }
}

std::vector<std::string> Importer::outputs() const {
  std::vector<std::string> names;
  for (const AuxiliaryOutput& output : auxiliary_) names.push_back(output.name);
  names.push_back(output_);
  return names;
}

void Importer::note_dropped_outputs() {
  const std::vector<std::string> kept = outputs();
  for (const OnnxValue& output : graph_.outputs) {
    if (std::find(kept.begin(), kept.end(), output.name) != kept.end()) continue;
    notes_.push_back("left out the output '" + printable(output.name) +
                     "': --auxiliary NAME=WEIGHT gives it a loss of its own, --output chooses "
                     "another main output");
  }
}

const Activation& Importer::output_of_layer(const std::string& name) const {
  const auto found = values_.find(name);
  const auto* const output =
      found == values_.end() ? nullptr : std::get_if<Activation>(&found->second);
  if (output == nullptr || live_.nodes.empty() || output->has_margin() ||
      !is_plain(output->dims, builder_.shape(output->layer))) {
    throw InputError(
        {.file = file_,
         .pointer = "output '" + printable(name) + '\'',
         .value = output == nullptr ? "no output of a layer" : "dims " + dims_text(output->dims),
         .allowed = "scores or values, (N, C) or (N, C, ...) of an image"});
  }
  return *output;
}

std::vector<OutputLoss> Importer::losses() const {
  const LayerIndex main = output_of_layer(output_).layer;
  std::vector<OutputLoss> losses;
  for (const AuxiliaryOutput& auxiliary : auxiliary_) {
    const LayerIndex layer = output_of_layer(auxiliary.name).layer;
    if (builder_.shape(layer) != builder_.shape(main)) {
      throw InputError({.file = file_,
                        .pointer = "output '" + printable(auxiliary.name) + '\'',
                        .value = to_text(builder_.shape(layer)),
                        .allowed = to_text(builder_.shape(main)) + ", as the main output '" +
                                   printable(output_) + "': the labels are the same"});
    }
    losses.push_back({.name = auxiliary.name + "_loss",
                      .output = layer,
                      .parameters = weighted(loss_, auxiliary.weight)});
  }
  losses.push_back({.name = "loss", .output = main, .parameters = loss_});
  return losses;
}

ImportedModel Importer::run() {
  for (const OnnxNode* node : live_.nodes) map(*node);
  if (!refusals_.empty()) throw UnmappedNodes(file_, std::move(refusals_));
  note_dropped_outputs();
  Network network = builder_.network(network_name(file_), losses());
  notes_.insert(notes_.end(), builder_.notes().begin(), builder_.notes().end());
  return {.network = std::move(network),
          .tensors = std::move(builder_).tensors(),
          .notes = std::move(notes_)};
}

}  // namespace

ImportedModel import_onnx(const OnnxGraph& graph,
                          const std::string& file,
                          const ImportOptions& options) {
  return Importer(graph, file, options).run();
}

}  // namespace cnnplan
