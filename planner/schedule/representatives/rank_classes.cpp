// Refines classes of ranks by one feature after the other.
#include "planner/schedule/representatives/rank_classes.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <utility>

#include "planner/schedule/representatives/coordinate_classes.hpp"
#include "planner/schedule/representatives/representative_ranks.hpp"
#include "planner/tensor/distribution.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {
namespace {

// Returns the level over which a rank reaches another, or -1 where the other rank does not exist.
int level_to(const Platform& platform, int rank, int other, bool exists) {
  if (!exists) return -1;
  return static_cast<int>(level_index_between(platform, rank, other));
}

class Refinement {
 public:
  explicit Refinement(int ranks) : class_of_(ranks, 0) {}

  // Splits classes whose ranks differ in `feature(rank)`, which is at least -1 and below 2^31.
  template <typename Feature>
  void refine(const Feature& feature) {
    std::unordered_map<std::int64_t, int> numbers;
    for (int rank = 0; rank < std::ssize(class_of_); ++rank) {
      const std::int64_t key = (std::int64_t{class_of_[rank]} << 32) + feature(rank) + 1;
      const int next = static_cast<int>(numbers.size());
      class_of_[rank] = numbers.try_emplace(key, next).first->second;
    }
  }

  // Splits classes by a number for each coordinate along `axis`.
  void refine_along(const Mesh& mesh, Axis axis, const std::vector<int>& numbers) {
    refine([&](int rank) { return numbers[mesh.coordinate(rank, axis)]; });
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

  // Ranks that share a sample sum statistics. Where these groups of ranks do not fill nodes evenly,
  // splits classes by the place in its node where a group begins.
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

  // Splits classes for a layer that is stationary_w: by the input channels that a rank multiplies,
  // how many of them it owns, how many ranks it exchanges them with, and for how many output
  // channels it computes parts of sums.
  void refine_by_parts(const Mesh& mesh, std::int64_t inputs, std::int64_t outputs) {
    const int parts = mesh.size(Axis::c);
    const int of_inputs = input_parts(ChannelAlgorithm::stationary_w, parts);
    const auto multiplied = [&](int part) {
      return block_range(inputs, of_inputs, part % of_inputs);
    };
    const auto part_of = [&mesh](int rank) { return mesh.coordinate(rank, Axis::c); };
    refine([&](int rank) { return multiplied(part_of(rank)).size(); });
    refine([&](int rank) {
      return shared_size(multiplied(part_of(rank)), block_range(inputs, parts, part_of(rank)));
    });
    // The next two features count the ranks that a rank receives from and sends to.
    refine([&](int rank) { return blocks_meeting(inputs, parts, multiplied(part_of(rank))); });
    refine([&](int rank) {
      return blocks_meeting(inputs, of_inputs, block_range(inputs, parts, part_of(rank)));
    });
    refine([&](int rank) {
      const int first = part_of(rank) - part_of(rank) % of_inputs;
      return block_range(outputs, parts, first + of_inputs - 1).end -
             block_range(outputs, parts, first).begin;
    });
  }

  // A rank moves more where it does not keep its samples from one mesh to another. Splits classes
  // by how many samples a rank keeps.
  void refine_by_own_samples(const Mesh& mesh, const Mesh& other, std::int64_t batch) {
    const auto samples = [batch](const Mesh& on, int rank) {
      return block_range(batch, on.size(Axis::n), on.coordinate(rank, Axis::n));
    };
    refine([&](int rank) { return shared_size(samples(mesh, rank), samples(other, rank)); });
  }

  std::vector<int> class_of() && { return std::move(class_of_); }

 private:
  std::vector<int> class_of_;
};

std::map<Mesh, std::vector<LayerIndex>> layers_by_mesh(const Plan& plan) {
  std::map<Mesh, std::vector<LayerIndex>> layers;
  for (const LayerIndex layer : plan.network.layers().indices()) {
    layers[plan.layers[layer].mesh].push_back(layer);
  }
  return layers;
}

// Returns the numbers of input and output channels of all layers that are stationary_w, each once.
std::set<std::pair<std::int64_t, std::int64_t>> stationary_w_channels(
    const Plan& plan, const std::vector<LayerIndex>& layers) {
  std::set<std::pair<std::int64_t, std::int64_t>> channels;
  for (LayerIndex layer : layers) {
    const auto algorithm = plan.layers[layer].channel_algorithm;
    if (algorithm != ChannelAlgorithm::stationary_w) continue;
    const LayerIndex input = plan.network.inputs_of(layer)[0];
    channels.emplace(plan.network.output_shape(input, 1)[Dim::c],
                     plan.network.output_shape(layer, 1)[Dim::c]);
  }
  return channels;
}

// True where consecutive ranks have consecutive samples. A rank then has all samples on the coarser
// of two such meshes that it has on the finer one.
bool has_samples_first(const Mesh& mesh) {
  return mesh.size(Axis::n) == 1 || mesh.axes().front().axis == Axis::n;
}

}  // namespace

RankClasses::RankClasses(std::vector<int> class_of) : class_of_(std::move(class_of)) {
  for (int rank = 0; rank < rank_count(); ++rank) {
    const int index = class_of_[rank];
    if (index == count()) {
      representatives_.push_back(rank);
      sizes_.push_back(0);
    }
    ++sizes_[index];
  }
}

RankClasses RankClasses::each(int ranks) {
  std::vector<int> class_of(ranks);
  std::iota(class_of.begin(), class_of.end(), 0);
  return RankClasses(std::move(class_of));
}

RankClasses RankClasses::of(const Plan& plan, const Platform& platform) {
  if (plan.ranks > exact_ranks) return of_many(plan, platform);
  const int distance = representative_distance(plan, platform);
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
      refinement.refine_along(mesh, axis.axis, coordinate_classes(plan, layers, axis));
      if (axis.axis == Axis::c) {
        for (const auto& [inputs, outputs] : stationary_w_channels(plan, layers)) {
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
