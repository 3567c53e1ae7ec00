// Gives each phase of a kernel its label, and each kind of transfer its word.
#include "planner/schedule/lower/state/operation_names.hpp"

#include <algorithm>
#include <stdexcept>

namespace cnnplan {
namespace {

// Returns the word of a transfer in its id: "allgather" for channel_allgather, "halo" for halo.
std::string word_of(OperationPart part) {
  if (part == OperationPart::channel_allgather) return "allgather";
  if (part == OperationPart::channel_reduce_scatter) return "reduce_scatter";
  return std::string(to_text(part));
}

OperationPart transfer_part(const LoweringContext& context,
                            const Unit& unit,
                            std::size_t input,
                            OperationPart of_channels) {
  const LayerPlan& own = context.layer_plan(unit.head);
  if (!same_ranks(context.layer_plan(unit.inputs[input]), own)) return OperationPart::shuffle;
  if (copies_inputs(context.parameters(unit))) return OperationPart::copy;
  const int parts = own.mesh.size(Axis::c);
  const bool gathers = input_parts(own.channel_algorithm, parts) < parts;
  return mixes_channels(context.parameters(unit)) && gathers ? of_channels : OperationPart::halo;
}

// Returns the names of an input and of its place among equal inputs; empty where a unit has one
// input.
std::string input_suffix(const LoweringContext& context, const Unit& unit, std::size_t input) {
  if (unit.inputs.size() == 1) return "";
  const LayerIndex source = unit.inputs[input];
  const auto place = unit.inputs.begin() + input;
  const auto before = std::count(unit.inputs.begin(), place, source);
  return '/' + context.name_of(source) + (before > 0 ? '/' + std::to_string(before + 1) : "");
}

}  // namespace

OperationLabel kernel_label(LayerIndex layer, KernelPhase phase) {
  constexpr Direction backward = Direction::backward;
  switch (phase) {
    case KernelPhase::forward:
      return {.part = OperationPart::forward, .layer = layer};
    case KernelPhase::forward_statistics:
      return {.part = OperationPart::statistics, .layer = layer};
    case KernelPhase::backward_data:
      return {.part = OperationPart::backward_data, .layer = layer, .direction = backward};
    case KernelPhase::backward_filter:
      return {.part = OperationPart::backward_filter, .layer = layer, .direction = backward};
    case KernelPhase::backward_statistics:
      return {.part = OperationPart::statistics, .layer = layer, .direction = backward};
    case KernelPhase::update:
      break;
  }
  throw std::logic_error("an update serves a bucket and no single layer");
}

std::string kernel_name(const LoweringContext& context,
                        const Unit& unit,
                        KernelPhase phase,
                        std::string_view suffix) {
  const std::string& unit_name = context.name(unit);
  if (unit_name.empty()) return {};  // where nobody asks for names
  const std::string_view phase_name = to_text(phase);
  std::string name;
  name.reserve(unit_name.size() + 1 + phase_name.size() + suffix.size());
  name += unit_name;
  name += '/';
  name += phase_name;
  name += suffix;
  return name;
}

LabelledId transfer_name(const LoweringContext& context,
                         const Unit& unit,
                         std::size_t input,
                         Direction direction,
                         OperationPart of_channels) {
  const OperationPart part = transfer_part(context, unit, input, of_channels);
  const bool is_forward = direction == Direction::forward;
  return {.id = context.name(unit) + (is_forward ? "/forward/" : "/backward/") + word_of(part) +
                input_suffix(context, unit, input),
          .label = {.part = part, .layer = unit.head, .direction = direction}};
}

LabelledId fetch_name(const LoweringContext& context,
                      const Unit& unit,
                      std::size_t input,
                      Direction direction) {
  const OperationPart part = transfer_part(context, unit, input, OperationPart::channel_allgather);
  const bool is_forward = direction == Direction::forward;
  return {.id = context.name(unit) + (is_forward ? "/forward/" : "/forward_again/") +
                word_of(part) + input_suffix(context, unit, input),
          .label = {.part = part, .layer = unit.head, .direction = direction}};
}

}  // namespace cnnplan
