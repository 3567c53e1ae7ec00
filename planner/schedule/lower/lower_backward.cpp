// Lowers backpropagation: error signals, their way back to the owners, and weight gradients.
#include <algorithm>
#include <array>

#include "planner/schedule/lower/lowering.hpp"
#include "planner/schedule/lower/operation_names.hpp"

namespace cnnplan {

void Lowering::backward_all() {
  for (std::size_t i = decomposition_.units().size(); i-- > 0;) {
    const Unit& unit = decomposition_.units()[i];
    const Multigrid* const chain = chain_of(unit);
    if (!is_lowered(i)) {
      add_gradients(unit);
    } else if (chain == nullptr) {
      backward(i);
    } else if (unit.last == chain->last) {
      backward_chain(*chain);
    }
  }
}

void Lowering::backward(std::size_t index) {
  const Unit& unit = decomposition_.units()[index];
  const Saved& saved = saved_[index];
  const LayerParameters& parameters = layer(unit.head).parameters;
  if (!decomposition_.requires_gradient(unit.last)) return;
  if (is_loss(parameters)) {
    backward_loss(unit, saved);
    return;
  }
  const Operand dy = gradient_of(unit);
  if (has_window(parameters)) {
    const LabelledId relu{.id = name_of(unit.last) + "/backward_data",
                          .label = backward_data_label(unit.last)};
    backward_windowed(unit, saved, unit.relu ? backward_relu(unit, dy, relu) : dy);
  } else if (std::holds_alternative<BatchNorm>(parameters)) {
    backward_batch_norm(unit, saved, dy);
  } else if (rearranges(parameters)) {
    backward_rearranged(unit, dy);
  } else if (std::holds_alternative<LocalResponseNorm>(parameters)) {
    backward_response_norm(unit, dy);
  } else if (copies_inputs(parameters)) {
    hand_on(unit, dy);
  } else {
    backward_elementwise(unit, dy);
  }
  add_to_bucket(unit);
}

void Lowering::backward_loss(const Unit& unit, const Saved& saved) {
  const BufferIndex dx =
      add_block(name(unit) + "/dx", BufferRole::error_signal, own_box(unit.head));
  const KernelKind kind = loss_kind();
  std::vector<Operand> operands{saved.extra};
  if (kind == KernelKind::softmax_cross_entropy) {
    operands.push_back(builder_.read(labels_[static_cast<std::size_t>(unit.head)]));
  }
  operands.push_back(builder_.write(dx));
  kernel(unit, elementwise_spec(unit, kind, KernelPhase::backward_data), std::move(operands));
  contribute(unit, 0, {.operand = builder_.read(dx)});
}

// Adds the error signal of the input of a ReLU that follows a convolution.
Operand Lowering::backward_relu(const Unit& unit, const Operand& dy, const LabelledId& named) {
  const BufferIndex dx =
      add_block(name_of(unit.last) + "/dx", BufferRole::error_signal, own_box(unit.last));
  const KernelSpec spec = elementwise_spec(unit, KernelKind::relu, KernelPhase::backward_data);
  add_kernel(
      unit,
      unit.last,
      named,
      {.spec = spec, .constants = {}, .operands = {saved_of(unit).output, dy, builder_.write(dx)}});
  return builder_.read(dx);
}

void Lowering::backward_windowed(const Unit& unit, const Saved& saved, const Operand& own_dy) {
  const Operand dy = has_partial_sums(unit) ? gather_error_signal(unit, own_dy) : own_dy;
  const bool is_convolution = mixes_channels(layer(unit.head).parameters);
  if (decomposition_.requires_gradient(unit.inputs[0])) {
    const LabelledId named{.id = name(unit) + "/backward_data",
                           .label = backward_data_label(unit.head)};
    const Operand dx =
        is_convolution ? convolve_back(unit, named, dy) : backward_pooling(unit, saved, dy);
    contribute(unit, 0, {.operand = dx});
  }
  if (is_convolution) backward_filter(unit, saved, dy);
}

Operand Lowering::convolve_back(const Unit& unit, const LabelledId& named, const Operand& dy) {
  KernelSpec spec = convolution_spec(unit, KernelPhase::backward_data);
  spec.bias = false;
  const BufferIndex dx =
      add_block(name(unit) + "/dx", BufferRole::error_signal, needed_box(unit, 0));
  const int slot = first_slot_[static_cast<std::size_t>(unit.head)];
  kernel(unit, named, spec, {dy, convolution_weight(slot), builder_.write(dx)});
  return builder_.read(dx);
}

Operand Lowering::backward_pooling(const Unit& unit, const Saved& saved, const Operand& dy) {
  KernelSpec spec = windowed_spec(unit);
  spec.phase = KernelPhase::backward_data;
  const BufferIndex dx =
      add_block(name(unit) + "/dx", BufferRole::error_signal, needed_box(unit, 0));
  std::vector<Operand> operands;
  if (spec.pooling == PoolingMode::max) operands.push_back(saved.extra);
  operands.insert(operands.end(), {dy, builder_.write(dx)});
  kernel(unit, spec, std::move(operands));
  return builder_.read(dx);
}

void Lowering::backward_filter(const Unit& unit, const Saved& saved, const Operand& dy) {
  const BufferIndex gradients = builder_.schedule().gradients;
  const KernelSpec spec = convolution_spec(unit, KernelPhase::backward_filter);
  const bool transposed = is_transposed(layer(unit.head).parameters);
  const Operand dbias =
      adds_bias(unit) ? slot_operand(gradients, saved.first_slot + 1, true) : Operand{};
  std::vector<Operand> operands{
      input_again(unit, 0), dy, slot_operand(gradients, saved.first_slot, true)};
  if (transposed) std::swap(operands[0], operands[1]);
  if (spec.bias) operands.push_back(dbias);
  kernel(unit, spec, std::move(operands));
  if (transposed && adds_bias(unit)) {
    kernel(unit,
           {.id = name(unit) + "/backward_filter/bias",
            .label = kernel_label(unit.head, KernelPhase::backward_filter)},
           bias_spec(unit, KernelPhase::backward_filter),
           {dy, dbias});
  }
}

// Gathers the error signal of the channels to which this rank added parts of sums.
Operand Lowering::gather_error_signal(const Unit& unit, const Operand& dy) {
  const BlockOwnership& computed = decomposition_.computed(unit);
  const Box want = computed.box(rank_);
  Exchange exchange = exchange_forward(
      rule_of(decomposition_.owned(unit.last), computed), builder_.buffer(dy.buffer).box, rank_);
  const BufferIndex gathered =
      exchange.in_place ? dy.buffer
                        : add_block(name(unit) + "/gathered_dy", BufferRole::error_signal, want);
  add_transfer(unit,
               {.id = name(unit) + "/backward/allgather",
                .label = {.part = OperationPart::channel_allgather,
                          .layer = unit.head,
                          .direction = Direction::backward}},
               {.source = dy.buffer, .destination = gathered, .list = {}, .of_sums = true},
               std::move(exchange));
  return {.buffer = gathered, .box = want};
}

void Lowering::backward_batch_norm(const Unit& unit, const Saved& saved, const Operand& dy) {
  Schedule& schedule = builder_.schedule();
  const std::int64_t channels = own_channels(unit.head).size();
  const bool keeps_dz = unit.relu && unit.residual;
  const BufferIndex sums = builder_.add_flat(
      name(unit) + "/gradient_sums", BufferRole::scratch, BufferElement::fp64, 2 * channels);
  KernelSpec spec =
      elementwise_spec(unit, KernelKind::batch_norm, KernelPhase::backward_statistics);
  spec.relu = unit.relu;
  spec.residual = keeps_dz;
  std::vector<Operand> operands{input_again(unit, 0), dy};
  if (unit.relu) operands.push_back(tensor_again(unit.last));
  for (const Operand& operand : {saved.sums,
                                 builder_.write(sums),
                                 slot_operand(schedule.gradients, saved.first_slot, true),
                                 slot_operand(schedule.gradients, saved.first_slot + 1, true)}) {
    operands.push_back(operand);
  }
  Operand dz = dy;
  if (keeps_dz) {
    dz = builder_.read(add_block(name(unit) + "/dz", BufferRole::error_signal, own_box(unit.last)));
    operands.push_back(dz);
    operands.back().written = true;
  }
  kernel(unit, spec, std::move(operands));
  allreduce_sums(unit, KernelPhase::backward_statistics, sums);
  if (unit.residual && decomposition_.requires_gradient(unit.inputs[1])) {
    contribute(unit, 1, {.operand = dz, .shared = shares_gradient(Add{}, 1)});
  }
  if (decomposition_.requires_gradient(unit.inputs[0])) {
    backward_batch_norm_data(unit, saved, spec, {dz, builder_.read(sums)});
  }
}

void Lowering::backward_batch_norm_data(const Unit& unit,
                                        const Saved& saved,
                                        KernelSpec spec,
                                        const std::array<Operand, 2>& gradient) {
  spec.phase = KernelPhase::backward_data;
  std::vector<Operand> operands{input_again(unit, 0), gradient[0]};
  if (unit.relu && !spec.residual) operands.push_back(tensor_again(unit.last));
  const BufferIndex dx =
      add_block(name(unit) + "/dx", BufferRole::error_signal, own_box(unit.last));
  for (const Operand& operand : {saved.sums,
                                 gradient[1],
                                 slot_operand(builder_.schedule().weights, saved.first_slot, false),
                                 builder_.write(dx)}) {
    operands.push_back(operand);
  }
  kernel(unit, spec, std::move(operands));
  contribute(unit, 0, {.operand = builder_.read(dx)});
}

// Lowers ReLU, dropout and add. An add without ReLU passes its error signal on as it is.
void Lowering::backward_elementwise(const Unit& unit, const Operand& dy) {
  const bool is_add = std::holds_alternative<Add>(layer(unit.head).parameters);
  const bool is_dropout = std::holds_alternative<Dropout>(layer(unit.head).parameters);
  Operand gradient = dy;
  if (!is_add || unit.relu) {
    const BufferIndex dx =
        add_block(name(unit) + "/dx", BufferRole::error_signal, own_box(unit.last));
    const KernelKind kind = is_dropout ? KernelKind::dropout : KernelKind::relu;
    std::vector<Operand> operands{dy, builder_.write(dx)};
    if (!is_dropout) operands.insert(operands.begin(), tensor_again(unit.last));
    kernel(unit, elementwise_spec(unit, kind, KernelPhase::backward_data), std::move(operands));
    gradient = builder_.read(dx);
  }
  hand_on(unit, gradient);
}

void Lowering::backward_response_norm(const Unit& unit, const Operand& dy) {
  const BufferIndex dx =
      add_block(name(unit) + "/dx", BufferRole::error_signal, own_box(unit.last));
  kernel(unit,
         elementwise_spec(unit, KernelKind::local_response_norm, KernelPhase::backward_data),
         {input_again(unit, 0), dy, builder_.write(dx)});
  contribute(unit, 0, {.operand = builder_.read(dx)});
}

void Lowering::backward_rearranged(const Unit& unit, const Operand& dy) {
  const BufferIndex dx =
      add_block(name(unit) + "/dx", BufferRole::error_signal, needed_box(unit, 0));
  kernel(unit, rearranging_spec(unit, KernelPhase::backward_data), {dy, builder_.write(dx)});
  contribute(unit, 0, {.operand = builder_.read(dx)});
}

// Passes a gradient on to every input. Each input of a concat gets its own channels, the input of a
// slice gets some of its channels, and the second input of a scaled add gets the scaled gradient.
void Lowering::hand_on(const Unit& unit, const Operand& gradient) {
  const LayerParameters& parameters = layer(unit.head).parameters;
  const auto* add = std::get_if<Add>(&parameters);
  for (std::size_t input = 0; input < unit.inputs.size(); ++input) {
    if (!decomposition_.requires_gradient(unit.inputs[input])) continue;
    const bool scales = add != nullptr && input == 1 && is_scaled(*add);
    const LabelledId named{.id = name(unit) + "/backward_scale",
                           .label = backward_data_label(unit.head)};
    contribute(unit,
               input,
               {.operand = scales ? scaled(unit, gradient, named) : gradient,
                .shared = shares_gradient(parameters, input)});
  }
}

Operand Lowering::scaled(const Unit& unit, const Operand& gradient, const LabelledId& named) {
  const BufferIndex dx =
      add_block(name(unit) + "/scaled_dx", BufferRole::error_signal, own_box(unit.last));
  kernel(unit,
         named,
         elementwise_spec(unit, KernelKind::add, KernelPhase::backward_data),
         {gradient, builder_.write(dx)});
  return builder_.read(dx);
}

void Lowering::add_gradients(const Unit& unit) {
  if (!decomposition_.requires_gradient(unit.last)) return;
  for (LayerIndex source : unit.inputs) {
    const Unit& writer = decomposition_.unit_of(source);
    if (!decomposition_.requires_gradient(source)) continue;
    if (!is_lowered(decomposition_.index_of(writer))) continue;
    if (decomposition_.sliced_gradient(unit.head).is_shared) {
      sliced_gradient_of(source, name_of(source) + "/dy");
      continue;
    }
    const Operand gradient = builder_.read(
        add_block(name_of(source) + "/dy", BufferRole::error_signal, own_box(source)));
    gradients_[static_cast<std::size_t>(source)].push_back({.operand = gradient});
  }
}

BufferIndex Lowering::sliced_gradient_of(LayerIndex target, const std::string& name) {
  BufferIndex& buffer = sliced_gradients_[static_cast<std::size_t>(target)];
  if (buffer < 0) {
    buffer = add_block(name, BufferRole::error_signal, own_box(target));
    gradients_[static_cast<std::size_t>(target)].push_back({.operand = builder_.read(buffer)});
  }
  return buffer;
}

// Brings a unit's gradient of its input back to the owners of the input.
void Lowering::contribute(const Unit& unit, std::size_t input, Contribution contribution) {
  const LayerIndex target = unit.inputs[input];
  const SharedRule& rule = decomposition_.exchanges(unit, input).backward;
  auto& gradients = gradients_[static_cast<std::size_t>(target)];
  if (rule == nullptr) {
    gradients.push_back(contribution);
    return;
  }
  const GradientUse use{.shared = contribution.shared,
                        .dense = decomposition_.needs_dense_gradient(target),
                        .replicas = rule->destinations.has_replicas(),
                        .sliced = decomposition_.sliced_gradient(unit.head)};
  Exchange exchange = exchange_backward(rule, use, rank_);
  const BufferIndex source = contribution.operand.buffer;
  const std::string buffer_name = name_of(target) + "/dy/" + name(unit);
  BufferIndex destination = source;
  if (use.sliced.is_shared) {
    destination = sliced_gradient_of(target, buffer_name);
  } else {
    if (!exchange.in_place) {
      destination = add_block(buffer_name, BufferRole::error_signal, own_box(target));
    }
    gradients.push_back({.operand = {.buffer = destination, .box = own_box(target)}});
  }
  add_transfer(
      unit,
      transfer_name(unit, input, Direction::backward, OperationPart::channel_reduce_scatter),
      {.source = source,
       .destination = destination,
       .source_channel = network().first_channel(unit.head, input)},
      std::move(exchange));
}

// Sums all contributions to the gradient of a unit's output.
Operand Lowering::gradient_of(const Unit& unit) {
  const auto& contributions = gradients_[static_cast<std::size_t>(unit.last)];
  Contribution total = contributions.front();
  for (std::size_t i = 1; i < contributions.size(); ++i) {
    const std::string suffix = i == 1 ? "" : '/' + std::to_string(i);
    total = sum(unit, {total, contributions[i]}, "/accumulate" + suffix);
  }
  return total.operand;
}

Lowering::Contribution Lowering::sum(const Unit& unit,
                                     const std::array<Contribution, 2>& terms,
                                     const std::string& suffix) {
  const bool dense = decomposition_.needs_dense_gradient(unit.last);
  const auto reusable = [&](const Contribution& term) {
    return !term.shared && (!dense || builder_.buffer(term.operand.buffer).box == term.operand.box);
  };
  Operand target = reusable(terms[1]) ? terms[1].operand : terms[0].operand;
  if (!reusable(terms[0]) && !reusable(terms[1])) {
    target = builder_.read(
        add_block(name_of(unit.last) + "/dy", BufferRole::error_signal, own_box(unit.last)));
  }
  Operand written = target;
  written.written = true;
  kernel(unit,
         {.id = name_of(unit.last) + suffix,
          .label = {.part = OperationPart::accumulate,
                    .layer = unit.last,
                    .direction = Direction::backward}},
         elementwise_spec(unit, KernelKind::accumulate, KernelPhase::forward),
         {terms[0].operand, terms[1].operand, written});
  return {.operand = target};
}

}  // namespace cnnplan
