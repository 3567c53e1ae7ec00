// Lowers the forward pass: it fetches inputs from their owners, and adds kernels, statistics and
// losses.
#include <algorithm>

#include "planner/schedule/lower/lowering.hpp"
#include "planner/schedule/lower/operation_names.hpp"

namespace cnnplan {

void Lowering::forward_all() {
  for (std::size_t i = 0; i < decomposition_.units().size(); ++i) {
    const Unit& unit = decomposition_.units()[i];
    const Multigrid* const chain = chain_of(unit);
    if (!is_lowered(i)) {
      if (is_read(unit)) add_output(unit);
    } else if (!runs(unit)) {
      if (std::holds_alternative<BatchNorm>(layer(unit.head).parameters)) add_running_values(unit);
    } else if (chain == nullptr) {
      forward(i);
    } else if (unit.head == chain->first) {
      forward_chain(*chain);
    }
  }
}

void Lowering::forward(std::size_t index) {
  const Unit& unit = decomposition_.units()[index];
  Saved& saved = saved_[index];
  const LayerParameters& parameters = layer(unit.head).parameters;
  if (std::holds_alternative<Input>(parameters)) {
    load(unit);
  } else if (has_window(parameters)) {
    forward_windowed(unit, saved);
  } else if (std::holds_alternative<BatchNorm>(parameters)) {
    forward_batch_norm(unit, saved);
  } else if (is_loss(parameters)) {
    forward_loss(unit, saved);
  } else if (rearranges(parameters)) {
    forward_rearranged(unit);
  } else if (copies_inputs(parameters)) {
    forward_copies(unit);
  } else {
    forward_elementwise(unit, saved);
  }
}

Box Lowering::storage_box(const Unit& unit) const {
  std::vector<Box> dense_reads;
  for (LayerIndex consumer : network().consumers_of(unit.last)) {
    if (!needs_dense_blocks(layer(consumer).parameters)) continue;
    dense_reads.push_back(needed_box(decomposition_.unit_of(consumer), 0));
  }
  return storage_block(
      own_box(unit.last), needs_dense_blocks(layer(unit.head).parameters), dense_reads);
}

Operand Lowering::add_output(const Unit& unit, BufferRole role) {
  if (!is_here(unit)) return tensors_[static_cast<std::size_t>(unit.last)] = nothing();
  const BufferIndex buffer = add_block(name_of(unit.last), role, storage_box(unit));
  builder_.set_rim(buffer, own_box(unit.last));
  const Operand output{.buffer = buffer, .box = own_box(unit.last)};
  tensors_[static_cast<std::size_t>(unit.last)] = output;
  return output;
}

void Lowering::load(const Unit& unit) {
  Schedule& schedule = builder_.schedule();
  const Operand samples = add_output(unit, BufferRole::data);
  schedule.data = samples.buffer;
  schedule.data_box = decomposition_.loads_needed(unit.last)
                          ? decomposition_.needed_by_reader(unit.last).box(rank_)
                          : samples.box;
  LoadOperation load{.data = schedule.data, .labels = {}};
  for (const Unit& loss : decomposition_.units()) {
    if (!is_loss(layer(loss.head).parameters) || !runs(loss)) continue;
    add_labels(loss.head);
    const BufferIndex labels = labels_[static_cast<std::size_t>(loss.head)];
    if (std::find(load.labels.begin(), load.labels.end(), labels) == load.labels.end()) {
      load.labels.push_back(labels);
    }
  }
  schedule.labels = labels_.back();
  builder_.add_operation(
      {.id = name(unit) + "/load", .label = {.part = OperationPart::load, .layer = unit.head}},
      unit.head,
      Stream::io,
      std::move(load));
}

// Adds the labels of a loss, one for each position, or its targets, one for each element. Losses
// with equal blocks share them.
void Lowering::add_labels(LayerIndex loss) {
  const bool are_targets = has_targets(network());
  Box box = own_box(loss);
  if (!are_targets) box[Dim::c] = is_empty(box) ? Range{} : Range{0, 1};
  const auto is_same = [&](BufferIndex labels) {
    return labels >= 0 && builder_.buffer(labels).box == box;
  };
  BufferIndex& own = labels_[static_cast<std::size_t>(loss)];
  const auto known = std::find_if(labels_.begin(), labels_.end(), is_same);
  own = known != labels_.end()
            ? *known
            : builder_.add_buffer(name_of(loss) + (are_targets ? "/targets" : "/labels"),
                                  BufferRole::labels,
                                  are_targets ? parameter() : BufferElement::int32,
                                  box);
}

Operand Lowering::fetch(const Unit& unit, std::size_t input) {
  const auto source = static_cast<std::size_t>(unit.inputs[input]);
  return fetch(unit, input, tensors_[source], Direction::forward, fetched_[source]);
}

Operand Lowering::fetch(const Unit& unit,
                        std::size_t input,
                        const Operand& stored,
                        Direction direction,
                        std::vector<Fetched>& fetched) {
  if (decomposition_.exchanges(unit, input).forward == nullptr) return stored;
  const BlockOwnership& blocks = decomposition_.needed(unit, input);
  if (decomposition_.loads_needed(unit.inputs[input])) {
    return {.buffer = stored.buffer, .box = blocks.box(rank_)};
  }
  const auto known = std::find_if(fetched.begin(), fetched.end(), [&](const Fetched& other) {
    return same_boxes(*other.blocks, blocks);
  });
  if (known != fetched.end()) return known->operand;
  fetched.push_back({.blocks = &blocks, .operand = fetch_blocks(unit, input, stored, direction)});
  return fetched.back().operand;
}

// Adds the transfer from the owners of an input to the blocks that a unit needs. It goes into a
// buffer of its own where the input is stored without room for these blocks.
Operand Lowering::fetch_blocks(const Unit& unit,
                               std::size_t input,
                               const Operand& stored,
                               Direction direction) {
  const Box want = needed_box(unit, input);
  Exchange exchange = exchange_forward(
      decomposition_.exchanges(unit, input).forward, builder_.buffer(stored.buffer).box, rank_);
  Operand result{.buffer = stored.buffer, .box = want};
  if (!exchange.in_place) {
    result.buffer = add_block(name(unit) + "/input", BufferRole::activation, want);
  }
  const OperationPart part = transfer_part(unit, input, OperationPart::channel_allgather);
  const char* const pass = direction == Direction::forward ? "/forward/" : "/forward_again/";
  add_transfer(unit,
               {.id = name(unit) + pass + word_of(part) + input_suffix(unit, input),
                .label = {.part = part, .layer = unit.head, .direction = direction}},
               {.source = stored.buffer, .destination = result.buffer},
               std::move(exchange));
  return result;
}

// Adds `transfer` with the exchanged blocks, unless there are none.
void Lowering::add_transfer(const Unit& unit,
                            const LabelledId& named,
                            TransferOperation transfer,
                            Exchange exchange) {
  transfer.list = std::move(exchange.list);
  transfer.rule = std::move(exchange.rule);
  transfer.accumulate = exchange.accumulate;
  transfer.zero_first = exchange.zero_first;
  transfer.tag = next_tag_++;
  if (transfer.list.empty() && !transfer.zero_first) return;
  if (transfer.list.receives.empty() && !transfer.zero_first) transfer.destination = -1;
  if (transfer.list.sends.empty()) transfer.source = -1;
  builder_.add_operation(named, unit.head, Stream::halo, std::move(transfer));
}

void Lowering::forward_windowed(const Unit& unit, Saved& saved) {
  saved.inputs = {fetch(unit, 0)};
  saved.output = add_output(unit);
  if (mixes_channels(layer(unit.head).parameters)) {
    saved.first_slot = first_slot_[static_cast<std::size_t>(unit.head)];
    const std::vector<OutputPart> parts = output_parts_of(unit);
    if (!parts.empty()) return convolve_parts(unit, saved, parts);
    const Operand computed = has_partial_sums(unit) ? add_computed(unit) : saved.output;
    convolve(unit,
             {.id = name(unit) + "/forward", .label = forward_label(unit.head)},
             saved.inputs[0],
             computed);
    if (has_partial_sums(unit)) scatter_sums(unit, computed);
    return;
  }
  const KernelSpec spec = windowed_spec(unit);
  std::vector<Operand> operands{saved.inputs[0], saved.output};
  operands.back().written = true;
  if (spec.pooling == PoolingMode::max) {
    const BufferIndex index = builder_.add_buffer(
        name(unit) + "/index", BufferRole::scratch, BufferElement::int32, own_box(unit.last));
    saved.extra = builder_.read(index);
    operands.push_back(builder_.write(index));
  }
  kernel(unit, spec, std::move(operands));
}

void Lowering::convolve(const Unit& unit,
                        const LabelledId& named,
                        const Operand& input,
                        Operand output) {
  convolve(unit, named, convolution_spec(unit, KernelPhase::forward), input, output);
}

void Lowering::convolve(const Unit& unit,
                        const LabelledId& named,
                        KernelSpec spec,
                        const Operand& input,
                        Operand output) {
  spec.relu = unit.relu;
  const int slot = first_slot_[static_cast<std::size_t>(unit.head)];
  std::vector<Operand> operands{input, convolution_weight(slot)};
  if (spec.bias) operands.push_back(slot_operand(builder_.schedule().weights, slot + 1, false));
  output.written = true;
  operands.push_back(output);
  kernel(unit, named, spec, std::move(operands));
  if (is_transposed(layer(unit.head).parameters) && adds_bias(unit)) add_bias(unit, output);
}

void Lowering::add_bias(const Unit& unit, const Operand& y) {
  const int slot = first_slot_[static_cast<std::size_t>(unit.head)] + 1;
  Operand x = y;
  x.written = false;
  kernel(unit,
         {.id = name(unit) + "/forward/bias", .label = forward_label(unit.head)},
         bias_spec(unit, KernelPhase::forward),
         {x, slot_operand(builder_.schedule().weights, slot, false), y});
}

// Adds the block of channels for which this rank computes parts of sums.
Operand Lowering::add_computed(const Unit& unit) {
  return builder_.read(add_block(name(unit) + "/partial_sums",
                                 BufferRole::activation,
                                 decomposition_.computed(unit).box(rank_)));
}

// Sums up the parts on the owners of their channels, in the memory of the output.
void Lowering::scatter_sums(const Unit& unit, const Operand& computed) {
  const BlockOwnership& owned = decomposition_.owned(unit.last);
  const GradientUse use{.shared = true, .dense = true, .replicas = owned.has_replicas()};
  Exchange exchange = exchange_backward(rule_of(decomposition_.computed(unit), owned), use, rank_);
  add_transfer(unit,
               {.id = name(unit) + "/forward/reduce_scatter",
                .label = {.part = OperationPart::channel_reduce_scatter, .layer = unit.head}},
               {.source = computed.buffer,
                .destination = saved_of(unit).output.buffer,
                .list = {},
                .of_sums = true},
               std::move(exchange));
}

void Lowering::forward_batch_norm(const Unit& unit, Saved& saved) {
  const std::int64_t channels = own_channels(unit.head).size();
  const std::string& id = name(unit);
  saved.inputs = {fetch(unit, 0)};
  if (unit.residual) saved.inputs.push_back(fetch(unit, 1));
  const BufferIndex sums =
      builder_.add_flat(id + "/sums", BufferRole::scratch, BufferElement::fp64, 2 * channels + 1);
  saved.sums = builder_.read(sums);
  if (mode_ != Mode::inference) {
    kernel(unit,
           elementwise_spec(unit, KernelKind::batch_norm, KernelPhase::forward_statistics),
           {saved.inputs[0], builder_.write(sums)});
    allreduce_sums(unit, KernelPhase::forward_statistics, sums);
  }
  add_running_values(unit);
  saved.first_slot = first_slot_[static_cast<std::size_t>(unit.head)];
  saved.output = add_output(unit);
  kernel(unit, batch_norm_spec(unit), batch_norm_operands(unit, saved, saved.inputs, saved.output));
}

void Lowering::add_running_values(const Unit& unit) {
  Schedule& schedule = builder_.schedule();
  Box own = whole({{1, 1, 1, 1, 1}});
  own[Dim::w] = own_channels(unit.head);
  const auto running = [&](const char* suffix) {
    return builder_.add_buffer(name(unit) + suffix, BufferRole::running, parameter(), own);
  };
  const auto head = static_cast<std::size_t>(unit.head);
  schedule.running_mean[head] = running("/mean");
  schedule.running_variance[head] = running("/variance");
}

KernelSpec Lowering::batch_norm_spec(const Unit& unit) const {
  KernelSpec spec = elementwise_spec(unit, KernelKind::batch_norm, KernelPhase::forward);
  spec.relu = unit.relu;
  spec.residual = unit.residual;
  return spec;
}

std::vector<Operand> Lowering::batch_norm_operands(const Unit& unit,
                                                   const Saved& saved,
                                                   const std::vector<Operand>& inputs,
                                                   const Operand& output) const {
  const Schedule& schedule = builder_.schedule();
  const auto head = static_cast<std::size_t>(unit.head);
  std::vector<Operand> operands{inputs[0],
                                saved.sums,
                                slot_operand(schedule.weights, saved.first_slot, false),
                                slot_operand(schedule.weights, saved.first_slot + 1, false),
                                builder_.write(schedule.running_mean[head]),
                                builder_.write(schedule.running_variance[head])};
  if (unit.residual) operands.push_back(inputs[1]);
  operands.push_back(output);
  operands.back().written = true;
  return operands;
}

KernelSpec Lowering::forward_elementwise_spec(const Unit& unit) const {
  const LayerParameters& parameters = layer(unit.head).parameters;
  const KernelKind kind = std::holds_alternative<Add>(parameters)    ? KernelKind::add
                          : std::holds_alternative<Relu>(parameters) ? KernelKind::relu
                          : std::holds_alternative<LocalResponseNorm>(parameters)
                              ? KernelKind::local_response_norm
                              : KernelKind::dropout;
  KernelSpec spec = elementwise_spec(unit, kind, KernelPhase::forward);
  spec.relu = unit.relu;
  return spec;
}

void Lowering::forward_elementwise(const Unit& unit, Saved& saved) {
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    saved.inputs.push_back(fetch(unit, input));
  }
  saved.output = add_output(unit);
  std::vector<Operand> operands = saved.inputs;
  operands.push_back(saved.output);
  operands.back().written = true;
  kernel(unit, forward_elementwise_spec(unit), std::move(operands));
}

void Lowering::forward_rearranged(const Unit& unit) {
  const Operand input = fetch(unit, 0);
  Operand output = add_output(unit);
  output.written = true;
  kernel(unit, rearranging_spec(unit, KernelPhase::forward), {input, output});
}

// Every input, or the channels that a slice takes of it, goes from its owners straight to its
// channels of the output.
void Lowering::forward_copies(const Unit& unit) {
  const Operand output = add_output(unit);
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    const LayerIndex source = unit.inputs[input];
    add_transfer(unit,
                 transfer_name(unit, input, Direction::forward, OperationPart::channel_allgather),
                 {.source = tensors_[static_cast<std::size_t>(source)].buffer,
                  .destination = output.buffer,
                  .destination_channel = network().first_channel(unit.head, input)},
                 exchange_into_output(decomposition_.exchanges(unit, input).forward, rank_));
  }
}

void Lowering::forward_loss(const Unit& unit, Saved& saved) {
  saved.inputs = {fetch(unit, 0)};
  const KernelKind kind = loss_kind();
  const char* const made =
      kind == KernelKind::mean_squared_error ? "/differences" : "/probabilities";
  const BufferIndex result =
      builder_.add_buffer(name(unit) + made, BufferRole::scratch, parameter(), own_box(unit.head));
  saved.extra = builder_.read(result);
  tensors_[static_cast<std::size_t>(unit.last)] = saved.extra;
  const BufferIndex loss =
      builder_.add_flat(name(unit) + "/loss", BufferRole::loss, BufferElement::fp64, 1);
  builder_.schedule().losses.push_back(loss);
  kernel(unit,
         elementwise_spec(unit, kind, KernelPhase::forward),
         {saved.inputs[0],
          builder_.read(labels_[static_cast<std::size_t>(unit.head)]),
          builder_.write(result),
          builder_.write(loss)});
  collective({.id = name(unit) + "/allreduce",
              .label = {.part = OperationPart::loss_allreduce, .layer = unit.head}},
             unit.head,
             Stream::reduce,
             {.algorithm = for_replicas(plan_.statistics_allreduce, unit.head, unit.head),
              .group = reduction_group(layer_plan(unit.head).mesh, rank_),
              .operand = builder_.write(loss),
              .element = ElementType::fp64,
              .elements = 1});
}

}  // namespace cnnplan
