// Moves contributions to the owners of a tensor, and sums them.
#include "planner/schedule/lower/state/gradient_table.hpp"

#include <utility>

#include "planner/schedule/lower/state/operation_names.hpp"

namespace cnnplan {

GradientTable::GradientTable(const LoweringContext& context, OperationWriter& writer)
    : context_(context),
      writer_(writer),
      contributions_(context.network().layers().size()),
      of_slices_(context.network().layers().size()) {}

void GradientTable::contribute_nothing(const Unit& unit) {
  const Decomposition& decomposition = context_.decomposition();
  if (!decomposition.requires_gradient(unit.last)) return;
  for (const LayerIndex source : unit.inputs) {
    const Unit& writer = decomposition.unit_of(source);
    if (!decomposition.requires_gradient(source)) continue;
    if (!context_.is_lowered(decomposition.index_of(writer))) continue;
    const std::string name = context_.name_of(source) + "/dy";
    if (decomposition.sliced_gradient(unit.head).is_shared) {
      of_slices(source, name);
      continue;
    }
    const Operand gradient = writer_.add_error_signal(name, context_.own_box(source));
    contributions_[source].push_back({.operand = gradient});
  }
}

BufferIndex GradientTable::of_slices(LayerIndex target, const std::string& name) {
  BufferIndex& buffer = of_slices_[target];
  if (buffer < 0) {
    const Operand gradient = writer_.add_error_signal(name, context_.own_box(target));
    buffer = gradient.buffer;
    contributions_[target].push_back({.operand = gradient});
  }
  return buffer;
}

void GradientTable::contribute(const Unit& unit,
                               std::size_t input,
                               const GradientContribution& contribution) {
  const Decomposition& decomposition = context_.decomposition();
  const LayerIndex target = unit.inputs[input];
  const SharedRule& rule = decomposition.exchanges(unit, input).backward;
  auto& contributions = contributions_[target];
  if (rule == nullptr) {
    contributions.push_back(contribution);
    return;
  }
  GradientUse use = decomposition.gradient_use(target, unit.head);
  if (decomposition.exchanges(unit, input).of_sums != nullptr && !use.sliced.is_shared) {
    contributions.push_back({.operand = sum_and_gather(unit, input, contribution)});
    return;
  }
  use.shared = contribution.shared;
  use.replicas = rule->destinations.has_replicas();
  Exchange exchange = exchange_backward(rule, use, context_.rank());
  const BufferIndex source = contribution.operand.buffer;
  const Box own = context_.own_box(target);
  const std::string name = context_.name_of(target) + "/dy/" + context_.name(unit);
  BufferIndex destination = source;
  if (use.sliced.is_shared) {
    destination = of_slices(target, name);
  } else {
    if (!exchange.in_place) destination = writer_.add_error_signal(name, own).buffer;
    contributions.push_back({.operand = {.buffer = destination, .box = own}});
  }
  writer_.transfer(
      unit,
      transfer_name(
          context_, unit, input, Direction::backward, OperationPart::channel_reduce_scatter),
      {.source = source,
       .destination = destination,
       .source_channel = context_.network().first_channel(unit.head, input)},
      std::move(exchange));
}

Operand GradientTable::sum_and_gather(const Unit& unit,
                                      std::size_t input,
                                      const GradientContribution& contribution) {
  const InputExchange& rules = context_.decomposition().exchanges(unit, input);
  const LayerIndex target = unit.inputs[input];
  const std::string name = context_.name_of(target) + "/dy/" + context_.name(unit);
  LabelledId named = transfer_name(
      context_, unit, input, Direction::backward, OperationPart::channel_reduce_scatter);

  const GradientUse use{.shared = contribution.shared,
                        .replicas = rules.backward->destinations.has_replicas()};
  Exchange sum = exchange_backward(rules.backward, use, context_.rank());
  const BufferIndex parts = contribution.operand.buffer;
  BufferIndex sums = parts;
  if (!sum.in_place) {
    const Box box = rules.backward->destinations.box(context_.rank());
    sums = writer_.add_error_signal(name + "/sums", box).buffer;
  }
  writer_.transfer(unit, named, {.source = parts, .destination = sums, .list = {}}, std::move(sum));

  Exchange gather =
      exchange_forward(rules.of_sums, writer_.builder().buffer(sums).box, context_.rank());
  const Box own = context_.own_box(target);
  const BufferIndex destination =
      gather.in_place ? sums : writer_.add_error_signal(name, own).buffer;
  named.id += "/allgather";
  writer_.transfer(
      unit, named, {.source = sums, .destination = destination, .list = {}}, std::move(gather));
  return {.buffer = destination, .box = own};
}

Operand GradientTable::total(const Unit& unit) {
  return sum_of_first(unit, contributions_[unit.last].size()).operand;
}

// The reader may hand the sum on to a unit that needs a dense gradient.
GradientTerms GradientTable::last_terms(const Unit& unit) {
  const auto& contributions = contributions_[unit.last];
  if (contributions.size() < 2) return {.dy = contributions.front().operand};
  const std::array terms{sum_of_first(unit, contributions.size() - 1), contributions.back()};
  GradientTerms found{.dy = terms[0].operand, .second_dy = terms[1].operand};
  for (const GradientContribution& term : terms) {
    if (!term.shared && is_dense(term.operand)) found.sum = term.operand;
  }
  return found;
}

GradientContribution GradientTable::sum_of_first(const Unit& unit, std::size_t count) {
  const auto& contributions = contributions_[unit.last];
  GradientContribution total = contributions.front();
  for (std::size_t i = 1; i < count; ++i) {
    const std::string suffix = i == 1 ? "" : '/' + std::to_string(i);
    total = sum(unit, {total, contributions[i]}, "/accumulate" + suffix);
  }
  return total;
}

// True where the sum may be written over a term.
bool GradientTable::is_reusable(const Unit& unit, const GradientContribution& term) const {
  const bool needs_dense = context_.decomposition().needs_dense_gradient(unit.last);
  return !term.shared && (!needs_dense || is_dense(term.operand));
}

bool GradientTable::is_dense(const Operand& term) const {
  return writer_.builder().buffer(term.buffer).box == term.box;
}

GradientContribution GradientTable::sum(const Unit& unit,
                                        const std::array<GradientContribution, 2>& terms,
                                        const std::string& suffix) {
  Operand target = is_reusable(unit, terms[1]) ? terms[1].operand : terms[0].operand;
  if (!is_reusable(unit, terms[0]) && !is_reusable(unit, terms[1])) {
    target =
        writer_.add_error_signal(context_.name_of(unit.last) + "/dy", context_.own_box(unit.last));
  }
  writer_.kernel(
      unit,
      {.id = context_.name_of(unit.last) + suffix,
       .label = {.part = OperationPart::accumulate,
                 .layer = unit.last,
                 .direction = Direction::backward}},
      element_wise_spec(context_.local(unit), KernelKind::accumulate, KernelPhase::forward),
      {terms[0].operand, terms[1].operand, as_written(target)});
  return {.operand = target};
}

}  // namespace cnnplan
