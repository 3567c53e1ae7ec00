// Lowers convolutions whose halo travels while the kernel of their interior runs.
#include <stdexcept>
#include <string>

#include "planner/schedule/blocks/interior.hpp"
#include "planner/schedule/lower/lowering.hpp"
#include "planner/schedule/lower/operation_names.hpp"

namespace cnnplan {
namespace {

// The word of a part in an id. The sample follows, counted from the rank's first.
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

// Returns no parts where the kernel is whole. It is also whole where its input is split in another
// way: replicas have to compute equal bits, but may own different parts of such an input.
std::vector<OutputPart> Lowering::output_parts_of(const Unit& unit) const {
  const LayerIndex source = unit.inputs[0];
  const bool is_cut = layer_plan(unit.head).halo == HaloMethod::interior_strips &&
                      has_halo_method(layer(unit.head).parameters) && !has_partial_sums(unit) &&
                      is_here(unit) && decomposition_.exchanges(unit, 0).forward != nullptr &&
                      !decomposition_.loads_needed(source) &&
                      same_ranks(layer_plan(source), layer_plan(unit.head));
  if (!is_cut) return {};
  return interior_and_strips(network(),
                             unit.head,
                             {.owned = own_box(source),
                              .needed = needed_box(unit, 0),
                              .outputs = decomposition_.computed(unit).box(rank_)});
}

// The interior reads the stored input, and the strips read the fetched one.
void Lowering::convolve_parts(const Unit& unit,
                              const Saved& saved,
                              const std::vector<OutputPart>& parts) {
  const Operand& stored = tensors_[static_cast<std::size_t>(unit.inputs[0])];
  for (const OutputPart& part : parts) {
    Operand input = part.is_interior() ? stored : saved.inputs[0];
    input.box = part.needed;
    Operand output = saved.output;
    output.box = part.outputs;
    KernelSpec spec = convolution_spec(unit, KernelPhase::forward);
    spec.in = shape_of(part.needed);
    spec.out = shape_of(part.outputs);
    spec.window = part.window;
    const std::int64_t sample = part.outputs[Dim::n].begin - own_box(unit.last)[Dim::n].begin;
    OperationLabel label = forward_label(unit.head);
    label.role = part.is_interior() ? OutputRole::interior : OutputRole::strip;
    const std::string id = name(unit) + "/forward/" + word_of(part.place) + std::to_string(sample);
    convolve(unit, {.id = id, .label = label}, spec, input, output);
  }
}

}  // namespace cnnplan
