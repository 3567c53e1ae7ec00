// Compares coordinates by the sizes of their blocks, halos and copies.
#include "planner/schedule/representatives/coordinate_classes.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "planner/network/layer_signature.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

// These properties of some layers decide what a rank does along one axis.
struct Cuts {
  std::set<DimSignature> dims;    // how blocks and halos are cut
  std::set<DimSignature> copies;  // along c, of each input of layers that copy their inputs
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
void describe_copy(const DimSignature& copy,
                   int parts,
                   int coordinate,
                   std::vector<std::int64_t>& features) {
  const Range all{std::max<std::int64_t>(copy.first, 0),
                  std::min(copy.output_length, copy.first + copy.input_length)};
  const Range owned = block_range(copy.input_length, parts, coordinate);
  const Range gives = intersect(Range{owned.begin + copy.first, owned.end + copy.first}, all);
  const Range takes = intersect(block_range(copy.output_length, parts, coordinate), all);
  features.insert(features.end(), {gives.size(), takes.size(), shared_size(gives, takes)});
  const auto add_distance = [&](std::int64_t length, std::int64_t index) {
    features.push_back(coordinate_at(length, parts, index) - coordinate);
  };
  if (gives.size() > 0) {
    add_distance(copy.output_length, gives.begin);
    add_distance(copy.output_length, gives.end - 1);
  }
  if (takes.size() > 0) {
    add_distance(copy.input_length, takes.begin - copy.first);
    add_distance(copy.input_length, takes.end - 1 - copy.first);
  }
}

// Appends what the rank at a coordinate does for this dim when the input is on the same mesh.
void describe_cut(const DimSignature& cut,
                  int parts,
                  int coordinate,
                  std::vector<std::int64_t>& features) {
  const auto outputs = [&](int i) { return block_range(cut.output_length, parts, i); };
  const auto inputs = [&](int i) { return block_range(cut.input_length, parts, i); };
  const auto needs = [&](int i) { return cut.needed(outputs(i)); };
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
  const bool has_halo = cut.window != WindowDim{} || cut.output_length != cut.input_length;
  if (!has_halo) return;
  for (int neighbour : {coordinate - 1, coordinate + 1}) {
    const bool exists = neighbour >= 0 && neighbour < parts;
    features.push_back(exists ? shared_size(needs(neighbour).input, input) : -1);
  }
}

// Returns the properties of all layers along `axis`, each once. Blocks of samples and of channels
// have no halos.
Cuts cuts_of(const Plan& plan, const std::vector<LayerIndex>& layers, Axis axis) {
  const Dim dim = static_cast<Dim>(axis);
  const bool is_spatial = axis == Axis::d || axis == Axis::h || axis == Axis::w;
  const Network& network = plan.network;
  Cuts cuts;
  for (LayerIndex layer : layers) {
    const std::size_t inputs = network.inputs_of(layer).size();
    if (is_spatial && inputs > 0) {
      for (std::size_t i = 0; i < inputs; ++i) {
        cuts.dims.insert(signature_of(network, layer, i, plan.batch).along(dim));
      }
    } else {
      const std::int64_t length = network.output_shape(layer, plan.batch)[dim];
      cuts.dims.insert({.input_length = length, .output_length = length});
    }
    if (axis != Axis::c || !copies_inputs(network.layer(layer).parameters)) continue;
    for (std::size_t i = 0; i < inputs; ++i) {
      cuts.copies.insert(signature_of(network, layer, i, plan.batch).along(dim));
    }
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
    for (const DimSignature& cut : cuts.dims) describe_cut(cut, axis.size, i, features);
    for (const DimSignature& copy : cuts.copies) describe_copy(copy, axis.size, i, features);
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
