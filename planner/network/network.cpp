// Builds networks layer by layer, and looks up layers.
#include "planner/network/network.hpp"

#include <algorithm>
#include <utility>

#include "planner/base/checked.hpp"
#include "planner/base/error.hpp"
#include "planner/network/layer_check.hpp"
#include "planner/network/rules/layer_place.hpp"

namespace cnnplan {
namespace {

// This limits all layers together. Below it, the bytes of weights, gradients and momentum stay
// below the bytes that files may name.
constexpr std::int64_t max_parameters = std::int64_t{1} << 53;

}  // namespace

Network::Network(std::string name, std::vector<Layer> layers, const std::string& file) {
  const auto parts = std::make_shared<Parts>();
  parts->name = std::move(name);
  parts->inputs.resize(layers.size());
  parts->consumers.resize(layers.size());
  parts->layers = IndexedVector<LayerIndex, Layer>(std::move(layers));
  parts_ = parts;
  IndexByName index_by_name;
  std::int64_t parameters = 0;
  for (const LayerIndex i : parts->layers.indices()) {
    const LayerPlace place{file, i};
    check_name_and_inputs(layer(i), index_by_name, place);
    connect(i, index_by_name, file, *parts);
    infer_shape(i, file, *parts);
    const std::int64_t allowed = max_parameters - parameters;
    place.require(parameter_count(i) <= allowed,
                  "",
                  parameter_count(i),
                  "at most " + std::to_string(allowed) + " parameters besides those before");
    parameters += parameter_count(i);
    index_by_name.emplace(layer(i).name, i);
  }
  for (const auto& named : index_by_name) parts->by_name.push_back(named.second);
  check_ends(file);
}

void Network::connect(LayerIndex index,
                      const IndexByName& earlier,
                      const std::string& file,
                      Parts& parts) {
  const LayerPlace place{file, index};
  for (const std::string& input : layer(index).inputs) {
    const auto found = earlier.find(input);
    // Files may omit the input if it is the layer listed before.
    const bool is_default = found != earlier.end() && found->second == index - 1;
    const std::string key =
        is_default && layer(index).inputs.size() == 1 ? "" : inputs_key(layer(index));
    if (found == earlier.end()) {
      place.refuse(key, '"' + input + '"', "the name of a layer listed before");
    }
    if (is_loss(layer_parameters(found->second))) {
      place.refuse(key, "the input \"" + input + '"', "a layer that is no loss");
    }
    parts.inputs[index].push_back(found->second);
    parts.consumers[found->second].push_back(index);
  }
}

void Network::infer_shape(LayerIndex index, const std::string& file, Parts& parts) {
  const LayerPlace place{file, index};
  std::vector<Shape> shapes;
  for (LayerIndex input : inputs_of(index)) shapes.push_back(parts.sample_shapes[input]);
  try {
    parts.sample_shapes.push_back(sample_shape(layer_parameters(index), shapes, place));
    volume(parts.sample_shapes.back());
    parameter_count(index);
  } catch (const InputError& error) {
    if (!error.problem().file.empty()) throw;
    place.refuse("", error.problem().value, error.problem().allowed);
  }
}

void Network::check_ends(const std::string& file) const {
  int losses = 0;
  int sources = 0;
  for (const LayerIndex i : layers().indices()) {
    const bool ends = is_loss(layers()[i].parameters);
    losses += ends ? 1 : 0;
    sources += std::holds_alternative<Input>(layers()[i].parameters) ? 1 : 0;
    if (consumers_of(i).empty() && !ends) {
      LayerPlace{file, i}.refuse(
          "name", '"' + layers()[i].name + '"', "a layer whose output another layer uses");
    }
  }
  const bool last_is_loss = !layers().empty() && is_loss(layers().back().parameters);
  if (sources != 1 || !last_is_loss) {
    throw InputError({.file = file,
                      .pointer = "/layers",
                      .value = std::to_string(sources) + " inputs and " + std::to_string(losses) +
                               " losses in " + std::to_string(layers().size()) + " layers",
                      .allowed = "one input, and a loss as the last layer"});
  }
  check_losses(file);
}

void Network::check_losses(const std::string& file) const {
  const LayerIndex last = loss_layer();
  const LayerParameters& main = layers()[last].parameters;
  if (loss_weight(main) != 1.0) {
    LayerPlace{file, last}.refuse(
        "weight", std::to_string(loss_weight(main)), "1 for the last loss, the main one");
  }
  for (const LayerIndex i : IndexRange(last)) {
    if (!is_loss(layers()[i].parameters)) continue;
    const LayerPlace place{file, i};
    if (layers()[i].name == "loss") {
      place.refuse("name", "\"loss\"", "another name: the last loss is called so");
    }
    const std::string kind(kind_name(layers()[i].parameters));
    if (layers()[i].parameters.index() != main.index()) {
      place.refuse("kind", '"' + kind + '"', std::string(kind_name(main)) + ", as the last loss");
    }
    if (parts_->sample_shapes[i] != parts_->sample_shapes[last]) {
      place.refuse("",
                   kind + " of " + to_text(parts_->sample_shapes[i]),
                   "the shape of the last loss, " + to_text(parts_->sample_shapes[last]) +
                       ": all compare with the same labels or targets");
    }
  }
}

IndexedVector<LayerIndex, bool> Network::layers_of_main_loss() const {
  IndexedVector<LayerIndex, bool> is_part(layers().size(), false);
  is_part.back() = true;
  for (LayerIndex i = layers().end_index(); i-- > 0;) {
    if (!is_part[i]) continue;
    for (const LayerIndex input : inputs_of(i)) is_part[input] = true;
  }
  return is_part;
}

std::optional<LayerIndex> Network::index_of(std::string_view name) const {
  const auto is_before = [this](LayerIndex index, std::string_view wanted) {
    return layer(index).name < wanted;
  };
  const std::vector<LayerIndex>& all = parts_->by_name;
  const auto found = std::lower_bound(all.begin(), all.end(), name, is_before);
  if (found == all.end() || layer(*found).name != name) return {};
  return *found;
}

Shape Network::output_shape(LayerIndex index, std::int64_t batch) const {
  Shape shape = parts_->sample_shapes.at(index);
  shape[Dim::n] = batch;
  volume(shape);
  return shape;
}

std::int64_t Network::first_channel(LayerIndex index, std::size_t input) const {
  const LayerParameters& parameters = layer_parameters(index);
  if (const auto* slice = std::get_if<Slice>(&parameters)) return -slice->first_channel;
  if (!std::holds_alternative<Concat>(parameters)) return 0;
  std::int64_t channel = 0;
  for (std::size_t i = 0; i < input; ++i) {
    channel += output_shape(inputs_of(index).at(i), 1)[Dim::c];
  }
  return channel;
}

Window Network::window_of(LayerIndex index) const {
  return window_for(layer(index).parameters, output_shape(inputs_of(index).at(0), 1));
}

std::int64_t Network::parameter_count(LayerIndex index) const {
  if (inputs_of(index).empty()) return 0;
  return cnnplan::parameter_count(
      layer_parameters(index), output_shape(inputs_of(index)[0], 1), output_shape(index, 1));
}

std::int64_t Network::parameter_count() const {
  std::int64_t count = 0;
  for (const LayerIndex i : layers().indices()) count = checked_add(count, parameter_count(i));
  return count;
}

bool has_targets(const Network& network) {
  return std::holds_alternative<MeanSquaredError>(network.layer(network.loss_layer()).parameters);
}

}  // namespace cnnplan
