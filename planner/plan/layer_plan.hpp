// Says how a plan splits and runs one layer.
#pragma once

#include <compare>
#include <map>
#include <string>

#include "planner/kernel/kernel.hpp"
#include "planner/network/channel_split.hpp"
#include "planner/network/halo_method.hpp"
#include "planner/plan/gather_method.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// Says how a layer is split over the ranks.
struct Split {
  Mesh mesh;
  // This field only matters for layers that mix channels (mixes_channels), on a mesh with an axis
  // c.
  ChannelAlgorithm channel_algorithm = ChannelAlgorithm::stationary_y;
  auto operator<=>(const Split&) const = default;
};
// Returns text such as "n2c4" or "c4 stationary_x".
std::string to_text(const Split& split);
// Parses a text that to_text(split) made. @throws InputError, which names no file, for other texts
Split parse_split(std::string_view text);

// Holds all choices of a plan for one layer.
struct LayerPlan {
  Mesh mesh;
  BatchNormStatistics statistics = BatchNormStatistics::spatial;  // batch norm only
  std::map<KernelPhase, KernelAlgorithm> algorithms;  // of its convolutions; absent: direct
  ChannelAlgorithm channel_algorithm = ChannelAlgorithm::stationary_y;  // as in Split
  // True where the output is not kept for backpropagation, but computed again from the inputs (see
  // can_recompute). The layers that are fused with this layer are computed again together with it.
  bool recompute = false;
  int stage = 0;  // the coordinate along axis l of the ranks that have the layer
  HaloMethod halo = HaloMethod::exchange_first;  // see has_halo_method
  // This is how the ranks get the input. Layers with another number of inputs have `direct`.
  GatherMethod gather = GatherMethod::direct;

  Split split() const { return {.mesh = mesh, .channel_algorithm = channel_algorithm}; }
  void set(const Split& split) {
    mesh = split.mesh;
    channel_algorithm = split.channel_algorithm;
  }
  auto operator<=>(const LayerPlan&) const = default;
};
// True if two tensors of equal shape have equal blocks on every rank, when one has the plan `a` and
// the other has the plan `b`.
inline bool same_ranks(const LayerPlan& a, const LayerPlan& b) {
  return a.mesh == b.mesh && a.stage == b.stage;
}

}  // namespace cnnplan
