// Compares coordinates by the sizes of their blocks, halos and copies.
#include "planner/schedule/representatives/coordinate_classes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "planner/tensor/distribution.hpp"
#include "planner/tensor/upsampling.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {
namespace {

// These properties of a dim decide how a layer's blocks and halos are cut along it.
struct DimCut {
  std::int64_t length = 1;
  std::int64_t input_length = 1;
  WindowDim window{};
  UpsampleDim upsample{};
  bool transposed = false;
  auto operator<=>(const DimCut&) const = default;
};

// These are the channels of one input of a layer that copies its inputs. `first` is the output
// channel at which they begin. It is negative where the first channels of the input are no outputs.
struct ChannelCopy {
  std::int64_t outputs = 1;
  std::int64_t inputs = 1;
  std::int64_t first = 0;
  auto operator<=>(const ChannelCopy&) const = default;
};

// These properties of some layers decide what a rank does along one axis.
struct Cuts {
  std::set<DimCut> dims;
  std::set<ChannelCopy> copies;  // along c
};

// Returns the coordinate whose block of `length` has this index. @pre 0 <= index < length
int coordinate_at(std::int64_t length, int parts, std::int64_t index) {
  int from = 0;
  int to = parts - 1;
  while (from < to) {
    const int middle = from + (to - from) / 2;
    if (block_range(length, parts, middle).end > index) {
      to = middle;
    } else {
      from = middle + 1;
    }
  }
  return from;
}

// Appends how many channels the rank at a coordinate gives and takes, and how many of them stay
// with it. Appends how far away the first and the last rank are that it exchanges channels with.
void describe(const ChannelCopy& copy,
              int parts,
              int coordinate,
              std::vector<std::int64_t>& features) {
  const Range all{std::max<std::int64_t>(copy.first, 0),
                  std::min(copy.outputs, copy.first + copy.inputs)};
  const Range owned = block_range(copy.inputs, parts, coordinate);
  const Range gives = intersect(Range{owned.begin + copy.first, owned.end + copy.first}, all);
  const Range takes = intersect(block_range(copy.outputs, parts, coordinate), all);
  features.insert(features.end(), {gives.size(), takes.size(), shared_size(gives, takes)});
  const auto add_distance = [&](std::int64_t length, std::int64_t index) {
    features.push_back(coordinate_at(length, parts, index) - coordinate);
  };
  if (gives.size() > 0) {
    add_distance(copy.outputs, gives.begin);
    add_distance(copy.outputs, gives.end - 1);
  }
  if (takes.size() > 0) {
    add_distance(copy.inputs, takes.begin - copy.first);
    add_distance(copy.inputs, takes.end - 1 - copy.first);
  }
}

// Appends what the rank at a coordinate does for this dim when the input is on the same mesh.
void describe(const DimCut& cut, int parts, int coordinate, std::vector<std::int64_t>& features) {
  const auto outputs = [&](int i) { return block_range(cut.length, parts, i); };
  const auto inputs = [&](int i) { return block_range(cut.input_length, parts, i); };
  const auto needs = [&](int i) {
    if (cut.upsample.factor > 1) return upsample_block(outputs(i), cut.input_length, cut.upsample);
    const auto block_of = cut.transposed ? transposed_block : window_block;
    return block_of(outputs(i), cut.input_length, cut.window);
  };
  const WindowBlock own = needs(coordinate);
  const Range input = inputs(coordinate);
  for (std::int64_t feature : {outputs(coordinate).size(),
                               own.input.size(),
                               own.padding_begin,
                               own.padding_end,
                               own.input.begin - input.begin,
                               own.input.end - input.end}) {
    features.push_back(feature);
  }
  const bool has_halo = cut.window != WindowDim{} || cut.length != cut.input_length;
  if (!has_halo) return;
  for (int neighbour : {coordinate - 1, coordinate + 1}) {
    const bool exists = neighbour >= 0 && neighbour < parts;
    features.push_back(exists ? shared_size(needs(neighbour).input, input) : -1);
  }
}

void add_copies(const Plan& plan, LayerIndex layer, std::set<ChannelCopy>& copies) {
  const std::vector<LayerIndex>& inputs = plan.network.inputs_of(layer);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    copies.insert({.outputs = plan.network.output_shape(layer, plan.batch)[Dim::c],
                   .inputs = plan.network.output_shape(inputs[i], plan.batch)[Dim::c],
                   .first = plan.network.first_channel(layer, i)});
  }
}

// Returns the properties of all layers along `axis`, each once.
Cuts cuts_of(const Plan& plan, const std::vector<LayerIndex>& layers, Axis axis) {
  const Dim dim = static_cast<Dim>(axis);
  Cuts cuts;
  for (LayerIndex layer : layers) {
    DimCut cut{.length = plan.network.output_shape(layer, plan.batch)[dim]};
    cut.input_length = cut.length;
    const bool is_spatial = axis == Axis::d || axis == Axis::h || axis == Axis::w;
    const LayerParameters& parameters = plan.network.layer(layer).parameters;
    if (is_spatial && moves_positions(parameters)) {
      const auto i = static_cast<std::size_t>(dim) - static_cast<std::size_t>(Dim::d);
      const LayerIndex input = plan.network.inputs_of(layer)[0];
      cut.input_length = plan.network.output_shape(input, plan.batch)[dim];
      if (const auto* upsample = std::get_if<Upsample>(&parameters)) {
        cut.upsample = upsample->dims()[i];
      } else {
        cut.window = plan.network.window_of(layer).dims[i];
        cut.transposed = is_transposed(parameters);
      }
    }
    cuts.dims.insert(cut);
    if (axis == Axis::c && copies_inputs(parameters)) add_copies(plan, layer, cuts.copies);
  }
  return cuts;
}

}  // namespace

std::vector<int> coordinate_classes(const Plan& plan,
                                    const std::vector<LayerIndex>& layers,
                                    const MeshAxis& axis) {
  const Cuts cuts = cuts_of(plan, layers, axis.axis);
  std::map<std::vector<std::int64_t>, int> numbers;
  std::vector<int> classes;
  for (int i = 0; i < axis.size; ++i) {
    std::vector<std::int64_t> features;
    for (const DimCut& cut : cuts.dims) describe(cut, axis.size, i, features);
    for (const ChannelCopy& copy : cuts.copies) describe(copy, axis.size, i, features);
    const int next = static_cast<int>(numbers.size());
    classes.push_back(numbers.try_emplace(std::move(features), next).first->second);
  }
  return classes;
}

std::int64_t shared_size(Range a, Range b) {
  return intersect(a, b).size();
}

int blocks_meeting(std::int64_t length, int parts, Range range) {
  if (range.size() == 0) return 0;
  return coordinate_at(length, parts, range.end - 1) - coordinate_at(length, parts, range.begin) +
         1;
}

}  // namespace cnnplan
