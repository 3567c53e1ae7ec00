// Decides where outputs are computed in parts, and adds the kernels of the parts.
#include "planner/schedule/lower/layers/interior.hpp"

#include <stdexcept>
#include <string>

#include "planner/schedule/lower/layers/convolution.hpp"
#include "planner/schedule/lower/state/operation_names.hpp"

namespace cnnplan {
namespace {

// Returns the word of a part in an id. The sample follows, counted from the rank's first sample.
const char* word_of(OutputPart::Place place) {
  switch (place) {
    case OutputPart::Place::interior:
      return "interior_";
    case OutputPart::Place::first_strip:
      return "first_strip_";
    case OutputPart::Place::last_strip:
      return "last_strip_";
  }
  throw std::logic_error("place of a part");
}

}  // namespace

// One kernel computes all outputs where the input has another split. Replicas have to compute the
// same bits, but may own different parts of such an input.
std::vector<OutputPart> output_parts_of(const LoweringContext& context, const Unit& unit) {
  const Decomposition& decomposition = context.decomposition();
  const LayerIndex source = unit.inputs[0];
  const LayerPlan& own = context.layer_plan(unit.head);
  const bool is_cut =
      own.halo == HaloMethod::interior_strips && has_halo_method(context.parameters(unit)) &&
      !context.has_partial_sums(unit) && context.is_here(unit) &&
      decomposition.exchanges(unit, 0).forward != nullptr && !decomposition.loads_needed(source) &&
      same_ranks(context.layer_plan(source), own);
  if (!is_cut) return {};
  return interior_and_strips(context.network(),
                             unit.head,
                             {.owned = context.own_box(source),
                              .needed = context.needed_box(unit, 0),
                              .outputs = decomposition.computed(unit).box(context.rank())});
}

void convolve_parts(LoweringState& state, const Unit& unit, const std::vector<OutputPart>& parts) {
  const LoweringContext& context = state.context;
  const SavedOperands& saved = state.tensors.saved(unit);
  const Operand& stored = state.tensors.output(unit.inputs[0]);
  const std::int64_t first_sample = context.own_box(unit.last)[Dim::n].begin;
  for (const OutputPart& part : parts) {
    Operand input = part.is_interior() ? stored : saved.inputs[0];
    input.box = part.needed;
    Operand output = saved.output;
    output.box = part.outputs;
    KernelSpec spec = state.parameters.convolution_spec(unit, KernelPhase::forward);
    spec.in = shape_of(part.needed);
    spec.out = shape_of(part.outputs);
    spec.window = part.window;
    OperationLabel label = forward_label(unit.head);
    label.role = part.is_interior() ? OutputRole::interior : OutputRole::strip;
    const std::int64_t sample = part.outputs[Dim::n].begin - first_sample;
    const std::string id =
        context.name(unit) + "/forward/" + word_of(part.place) + std::to_string(sample);
    convolve(state, unit, {.id = id, .label = label}, spec, input, output);
  }
}

}  // namespace cnnplan
