// Classes refined by one feature after the other.
#include "planner/schedule/representatives/rank_classes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "planner/schedule/representatives/representative_ranks.hpp"
#include "planner/tensor/distribution.hpp"
#include "planner/tensor/rank_group.hpp"
#include "planner/tensor/upsampling.hpp"
#include "planner/tensor/window.hpp"

namespace cnnplan {
namespace {

// One dim of a layer on a mesh: what decides how its blocks and halos are cut.
struct DimCut {
  std::int64_t length = 1;
  std::int64_t input_length = 1;
  WindowDim window{};
  UpsampleDim upsample{};
  bool transposed = false;
  auto operator<=>(const DimCut&) const = default;
};

// The channels of one input of a layer that copies its inputs: where they begin among its outputs,
// below 0 where only later ones are outputs.
struct ChannelCopy {
  std::int64_t outputs = 1;
  std::int64_t inputs = 1;
  std::int64_t first = 0;
  auto operator<=>(const ChannelCopy&) const = default;
};

// What decides along one axis what a rank does.
struct Cuts {
  std::set<DimCut> dims;
  std::set<ChannelCopy> copies;  // along c
};

std::int64_t shared(Range a, Range b) {
  return intersect(a, b).size();
}

// Whose block of `length` has this index. @pre 0 <= index < length
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

// How many blocks of `length` in so many parts have some of a range.
int meeting(std::int64_t length, int parts, Range range) {
  if (range.size() == 0) return 0;
  return coordinate_at(length, parts, range.end - 1) - coordinate_at(length, parts, range.begin) +
         1;
}

// How many channels the rank at a coordinate gives and takes, of them to and from itself, and how
// far away the first and the last rank are that it deals with.
void describe(const ChannelCopy& copy,
              int parts,
              int coordinate,
              std::vector<std::int64_t>& features) {
  const Range all{std::max<std::int64_t>(copy.first, 0),
                  std::min(copy.outputs, copy.first + copy.inputs)};
  const Range owned = block_range(copy.inputs, parts, coordinate);
  const Range gives = intersect(Range{owned.begin + copy.first, owned.end + copy.first}, all);
  const Range takes = intersect(block_range(copy.outputs, parts, coordinate), all);
  features.insert(features.end(), {gives.size(), takes.size(), shared(gives, takes)});
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

// What the rank at a coordinate does for this dim, taking the input on the same mesh.
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
    features.push_back(exists ? shared(needs(neighbour).input, input) : -1);
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

// The dims of `axis` in all layers on a mesh, each once.
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

// By coordinate, a number that is the same where ranks do the same along the axis.
std::vector<int> kinds_along(const Cuts& cuts, int parts) {
  std::map<std::vector<std::int64_t>, int> numbers;
  std::vector<int> kinds;
  for (int i = 0; i < parts; ++i) {
    std::vector<std::int64_t> features;
    for (const DimCut& cut : cuts.dims) describe(cut, parts, i, features);
    for (const ChannelCopy& copy : cuts.copies) describe(copy, parts, i, features);
    const int next = static_cast<int>(numbers.size());
    kinds.push_back(numbers.try_emplace(std::move(features), next).first->second);
  }
  return kinds;
}

// Over which level a rank reaches another; none where there is no such rank.
int level_to(const Platform& platform, int rank, int other, bool exists) {
  if (!exists) return -1;
  return static_cast<int>(level_index_between(platform, rank, other));
}

class Refinement {
 public:
  explicit Refinement(int ranks) : class_of_(static_cast<std::size_t>(ranks), 0) {}

  // Parts classes where `feature(rank)`, at least -1 and below 2^31, differs.
  template <typename Feature>
  void refine(const Feature& feature) {
    std::unordered_map<std::int64_t, int> numbers;
    for (std::size_t rank = 0; rank < class_of_.size(); ++rank) {
      const std::int64_t key =
          (std::int64_t{class_of_[rank]} << 32) + std::int64_t{feature(static_cast<int>(rank))} + 1;
      const int next = static_cast<int>(numbers.size());
      class_of_[rank] = numbers.try_emplace(key, next).first->second;
    }
  }

  void refine_along(const Mesh& mesh, const MeshAxis& axis, const Cuts& cuts) {
    const std::vector<int> kinds = kinds_along(cuts, axis.size);
    refine([&](int rank) {
      return kinds[static_cast<std::size_t>(mesh.coordinate(rank, axis.axis))];
    });
  }

  void refine_by_levels(const Platform& platform, const Mesh& mesh, const MeshAxis& axis) {
    const int stride = mesh.stride(axis.axis);
    refine([&](int rank) {
      const int coordinate = mesh.coordinate(rank, axis.axis);
      const int below = level_to(platform, rank, rank - stride, coordinate > 0);
      const int above = level_to(platform, rank, rank + stride, coordinate + 1 < axis.size);
      return (below + 1) * 64 + above + 1;
    });
  }

  // Ranks that share a sample sum statistics: where they do not fill nodes evenly, by the place in
  // its node where such a group begins.
  void refine_by_groups(const Platform& platform, const Mesh& mesh) {
    int size = 1;
    for (Axis axis : {Axis::d, Axis::h, Axis::w}) size *= mesh.size(axis);
    for (std::size_t i = 0; i + 1 < platform.levels.size(); ++i) {
      const int node = platform.levels[i].ranks_per_group;
      if (size % node == 0 || node % size == 0) continue;
      refine([&](int rank) {
        return RankGroup(mesh, rank, {Axis::n, Axis::c, Axis::r}).front() % node;
      });
    }
  }

  // Of a layer that is stationary_w: by what a rank multiplies, how much of that it owns, with whom
  // it shares that, and what it computes parts of sums of.
  void refine_by_parts(const Mesh& mesh, std::int64_t inputs, std::int64_t outputs) {
    const int parts = mesh.size(Axis::c);
    const int of_inputs = input_parts(ChannelAlgorithm::stationary_w, parts);
    const auto multiplied = [&](int part) {
      return block_range(inputs, of_inputs, part % of_inputs);
    };
    const auto part_of = [&mesh](int rank) { return mesh.coordinate(rank, Axis::c); };
    refine([&](int rank) { return multiplied(part_of(rank)).size(); });
    refine([&](int rank) {
      return shared(multiplied(part_of(rank)), block_range(inputs, parts, part_of(rank)));
    });
    // How many ranks it receives from, and sends to.
    refine([&](int rank) { return meeting(inputs, parts, multiplied(part_of(rank))); });
    refine([&](int rank) {
      return meeting(inputs, of_inputs, block_range(inputs, parts, part_of(rank)));
    });
    refine([&](int rank) {
      const int first = part_of(rank) - part_of(rank) % of_inputs;
      return block_range(outputs, parts, first + of_inputs - 1).end -
             block_range(outputs, parts, first).begin;
    });
  }

  // Where a rank's samples on one mesh are not among those that it has on another, it moves more.
  void refine_by_own_samples(const Mesh& mesh, const Mesh& other, std::int64_t batch) {
    const auto samples = [batch](const Mesh& on, int rank) {
      return block_range(batch, on.size(Axis::n), on.coordinate(rank, Axis::n));
    };
    refine([&](int rank) { return shared(samples(mesh, rank), samples(other, rank)); });
  }

  std::vector<int> class_of() && { return std::move(class_of_); }

 private:
  std::vector<int> class_of_;
};

std::map<Mesh, std::vector<LayerIndex>> layers_by_mesh(const Plan& plan) {
  std::map<Mesh, std::vector<LayerIndex>> layers;
  for (LayerIndex layer = 0; layer < plan.network.layer_count(); ++layer) {
    layers[plan.layers[static_cast<std::size_t>(layer)].mesh].push_back(layer);
  }
  return layers;
}

// Channels of x and y of the layers that take parts of them in turn, each once.
std::set<std::pair<std::int64_t, std::int64_t>> channels_in_turn(
    const Plan& plan, const std::vector<LayerIndex>& layers) {
  std::set<std::pair<std::int64_t, std::int64_t>> channels;
  for (LayerIndex layer : layers) {
    const auto algorithm = plan.layers[static_cast<std::size_t>(layer)].channel_algorithm;
    if (algorithm != ChannelAlgorithm::stationary_w) continue;
    const LayerIndex input = plan.network.inputs_of(layer)[0];
    channels.emplace(plan.network.output_shape(input, 1)[Dim::c],
                     plan.network.output_shape(layer, 1)[Dim::c]);
  }
  return channels;
}

// Samples of ranks in a row are then in a row, and of several such meshes the coarser one's hold
// the finer one's.
bool has_samples_first(const Mesh& mesh) {
  return mesh.size(Axis::n) == 1 || mesh.axes().front().axis == Axis::n;
}

}  // namespace

RankClasses::RankClasses(std::vector<int> class_of) : class_of_(std::move(class_of)) {
  for (std::size_t rank = 0; rank < class_of_.size(); ++rank) {
    const auto index = static_cast<std::size_t>(class_of_[rank]);
    if (index == ranks_.size()) {
      ranks_.push_back(static_cast<int>(rank));
      sizes_.push_back(0);
    }
    ++sizes_[index];
  }
}

RankClasses RankClasses::each(int ranks) {
  std::vector<int> class_of(static_cast<std::size_t>(ranks));
  std::iota(class_of.begin(), class_of.end(), 0);
  return RankClasses(std::move(class_of));
}

RankClasses RankClasses::of(const Plan& plan, const Platform& platform) {
  if (plan.ranks > exact_ranks) return of_many(plan, platform);
  const int distance = distance_of_like_ranks(plan, platform);
  std::vector<int> class_of;
  for (int rank = 0; rank < plan.ranks; ++rank) class_of.push_back(rank % distance);
  return RankClasses(std::move(class_of));
}

RankClasses RankClasses::of_many(const Plan& plan, const Platform& platform) {
  Refinement refinement(plan.ranks);
  const std::map<Mesh, std::vector<LayerIndex>> meshes = layers_by_mesh(plan);
  for (const auto& [mesh, layers] : meshes) {
    for (const MeshAxis& axis : mesh.axes()) {
      if (axis.axis == Axis::r) continue;
      if (axis.axis == Axis::l) {
        refinement.refine([&mesh = mesh](int rank) { return mesh.coordinate(rank, Axis::l); });
        refinement.refine_by_levels(platform, mesh, axis);
        continue;
      }
      refinement.refine_along(mesh, axis, cuts_of(plan, layers, axis.axis));
      if (axis.axis == Axis::c) {
        for (const auto& [inputs, outputs] : channels_in_turn(plan, layers)) {
          refinement.refine_by_parts(mesh, inputs, outputs);
        }
      }
      if (axis.axis != Axis::n) refinement.refine_by_levels(platform, mesh, axis);
    }
    refinement.refine_by_groups(platform, mesh);
    if (has_samples_first(mesh)) continue;
    for (const auto& [other, others] : meshes) {
      refinement.refine_by_own_samples(mesh, other, plan.batch);
    }
  }
  return RankClasses(std::move(refinement).class_of());
}

}  // namespace cnnplan
