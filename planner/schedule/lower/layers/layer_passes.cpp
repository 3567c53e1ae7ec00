// Chooses the passes of each kind of layer.
#include "planner/schedule/lower/layers/layer_passes.hpp"

#include <variant>

#include "planner/schedule/lower/layers/batch_norm.hpp"
#include "planner/schedule/lower/layers/convolution.hpp"
#include "planner/schedule/lower/layers/copies.hpp"
#include "planner/schedule/lower/layers/element_wise.hpp"
#include "planner/schedule/lower/layers/input.hpp"
#include "planner/schedule/lower/layers/loss.hpp"
#include "planner/schedule/lower/layers/pointwise.hpp"
#include "planner/schedule/lower/layers/pooling.hpp"
#include "planner/schedule/lower/layers/rearrangement.hpp"

namespace cnnplan {
namespace {

using ForwardPass = void (*)(LoweringState&, const Unit&);
using BackwardPass = void (*)(LoweringState&, const Unit&, const Operand& dy);

ForwardPass forward_pass_of(const LayerParameters& parameters) {
  if (std::holds_alternative<Input>(parameters)) return forward_input;
  if (mixes_channels(parameters)) return forward_convolution;
  if (has_window(parameters)) return forward_pooling;
  if (std::holds_alternative<BatchNorm>(parameters)) return forward_batch_norm;
  if (is_loss(parameters)) return forward_loss;
  if (rearranges(parameters)) return forward_rearrangement;
  if (traits_of(parameters).is_only_planned) return forward_pointwise;
  return copies_inputs(parameters) ? forward_copies : forward_element_wise;
}

// @pre the layer is neither the input nor a loss nor a batch norm
BackwardPass backward_pass_of(const LayerParameters& parameters) {
  if (mixes_channels(parameters)) return backward_convolution;
  if (has_window(parameters)) return backward_pooling;
  if (rearranges(parameters)) return backward_rearrangement;
  if (traits_of(parameters).is_only_planned) return backward_pointwise;
  return copies_inputs(parameters) ? propagate_gradient : backward_element_wise;
}

}  // namespace

void forward_unit(LoweringState& state, const Unit& unit) {
  forward_pass_of(state.context.parameters(unit))(state, unit);
}

void backward_unit(LoweringState& state, const Unit& unit) {
  if (!state.context.decomposition().requires_gradient(unit.last)) return;
  const LayerParameters& parameters = state.context.parameters(unit);
  if (is_loss(parameters)) return backward_loss(state, unit);
  if (std::holds_alternative<BatchNorm>(parameters)) {
    backward_batch_norm(state, unit, state.gradients.last_terms(unit));
  } else {
    backward_pass_of(parameters)(state, unit, state.gradients.total(unit));
  }
  state.buckets.complete(unit);
}

}  // namespace cnnplan
