// Holds the properties of norms over channels.
#include "planner/network/layers/channel_norm.hpp"

namespace cnnplan {
namespace {

constexpr LayerTraits traits_of_norm() {
  LayerTraits traits = Pointwise::traits;
  traits.chooses_split = true;
  traits.channel_split_refusal = "a norm over channels reads channels of other parts";
  return traits;
}

}  // namespace

const LayerTraits& traits_of_operator(const Pointwise& layer) {
  static constexpr LayerTraits of_norm = traits_of_norm();
  return layer.operation == channel_norm ? of_norm : Pointwise::traits;
}

}  // namespace cnnplan
