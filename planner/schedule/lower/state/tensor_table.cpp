// Adds memory for tensors, and fetches the blocks that units need.
#include "planner/schedule/lower/state/tensor_table.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "planner/schedule/lower/state/gather_refusal.hpp"
#include "planner/schedule/lower/state/operation_names.hpp"

namespace cnnplan {

TensorTable::TensorTable(const LoweringContext& context, OperationWriter& writer)
    : context_(context),
      writer_(writer),
      outputs_(context.network().layers().size()),
      fetched_(context.network().layers().size()),
      saved_(context.decomposition().units().size()),
      labels_(context.network().layers().size()) {}

SavedOperands& TensorTable::saved(const Unit& unit) {
  return saved_[context_.decomposition().index_of(unit)];
}

Operand TensorTable::add_output(const Unit& unit, BufferRole role) {
  Operand output;
  if (context_.is_here(unit)) {
    output.buffer =
        writer_.add_block(context_.name_of(unit.last), role, context_.storage_box(unit));
    output.box = context_.own_box(unit.last);
    writer_.builder().set_rim(output.buffer, output.box);
  } else {
    output = writer_.absent_operand();
  }
  set_output(unit.last, output);
  return output;
}

Operand TensorTable::fetch(const Unit& unit, std::size_t input) {
  const LayerIndex source = unit.inputs[input];
  return fetch(unit, input, output(source), Direction::forward, fetched_[source]);
}

Operand TensorTable::fetch(const Unit& unit,
                           std::size_t input,
                           const Operand& stored,
                           Direction direction,
                           std::vector<FetchedBlocks>& fetched) {
  const Decomposition& decomposition = context_.decomposition();
  if (decomposition.exchanges(unit, input).forward == nullptr) return stored;
  const RankBoxes& blocks = decomposition.needed(unit, input);
  if (decomposition.loads_needed(unit.inputs[input])) {
    return {.buffer = stored.buffer, .box = blocks.box(context_.rank())};
  }
  const auto known = std::find_if(fetched.begin(), fetched.end(), [&](const auto& other) {
    return same_boxes(*other.blocks, blocks);
  });
  const bool by_node = decomposition.exchanges(unit, input).to_parts != nullptr;
  const GatherMethod gather =
      by_node ? context_.layer_plan(unit.head).gather : GatherMethod::direct;
  if (known != fetched.end()) {
    const bool is_said = gather == GatherMethod::direct || gather == known->gather;
    if (is_said || direction == Direction::backward) return known->operand;
    refuse_gather(context_,
                  unit.head,
                  '"' + std::string(to_text(known->gather)) + '"',
                  "an earlier layer gathers the same blocks");
  }
  fetched.push_back({.blocks = &blocks,
                     .operand = by_node ? fetch_by_node(unit, input, stored, direction)
                                        : fetch_blocks(unit, input, stored, direction),
                     .gather = gather});
  return fetched.back().operand;
}

// Adds the transfer from the owners of an input to the blocks that a unit needs. They get a buffer
// of their own where the input is not stored with room for them.
Operand TensorTable::fetch_blocks(const Unit& unit,
                                  std::size_t input,
                                  const Operand& stored,
                                  Direction direction) {
  const Box want = context_.needed_box(unit, input);
  Exchange exchange = exchange_forward(context_.decomposition().exchanges(unit, input).forward,
                                       writer_.builder().buffer(stored.buffer).box,
                                       context_.rank());
  Operand result{.buffer = stored.buffer, .box = want};
  if (!exchange.in_place) {
    result.buffer = writer_.add_block(context_.name(unit) + "/input", BufferRole::activation, want);
  }
  writer_.transfer(unit,
                   fetch_name(context_, unit, input, direction),
                   {.source = stored.buffer, .destination = result.buffer},
                   std::move(exchange));
  return result;
}

// The block gets a buffer of its own, also where the input is stored with room for it. So no
// message arrives in memory that other readers of the input may read at the same time.
Operand TensorTable::fetch_by_node(const Unit& unit,
                                   std::size_t input,
                                   const Operand& stored,
                                   Direction direction) {
  const InputExchange& rules = context_.decomposition().exchanges(unit, input);
  const std::string name = context_.name(unit) + "/input";
  const int rank = context_.rank();
  LabelledId named = fetch_name(context_, unit, input, direction);
  const BufferIndex part = writer_.add_block(
      name + "/part", BufferRole::activation, rules.to_parts->destinations.box(rank));
  writer_.transfer(unit,
                   named,
                   {.source = stored.buffer, .destination = part},
                   exchange_into_output(rules.to_parts, rank));
  const Box want = context_.needed_box(unit, input);
  const BufferIndex whole = writer_.add_block(name, BufferRole::activation, want);
  named.id += "/within_nodes";
  writer_.transfer(unit,
                   std::move(named),
                   {.source = part, .destination = whole},
                   exchange_into_output(rules.of_parts, rank));
  return {.buffer = whole, .box = want};
}

// A loss compares with a label for each position, or with a target for each element.
BufferIndex TensorTable::add_labels(LayerIndex loss) {
  const bool are_targets = has_targets(context_.network());
  Box box = context_.own_box(loss);
  if (!are_targets) box[Dim::c] = is_empty(box) ? Range{} : Range{0, 1};
  const auto is_same = [&](BufferIndex labels) {
    return labels >= 0 && writer_.builder().buffer(labels).box == box;
  };
  const auto known = std::find_if(labels_.begin(), labels_.end(), is_same);
  BufferIndex& own = labels_[loss];
  own = known != labels_.end()
            ? *known
            : writer_.builder().add_buffer(
                  context_.name_of(loss) + (are_targets ? "/targets" : "/labels"),
                  BufferRole::labels,
                  are_targets ? context_.parameter_buffer() : BufferElement::int32,
                  box);
  return own;
}

}  // namespace cnnplan
