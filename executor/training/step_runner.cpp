// Preparation and execution of operations.
#include "executor/training/step_runner.hpp"

#include <memory>
#include <stdexcept>
#include <utility>

#include "executor/comm/transfer.hpp"
#include "planner/schedule/memory_layout.hpp"

namespace cnnplan {
namespace {

using Clock = std::chrono::steady_clock;

bool is_parameter(BufferRole role) {
  return role == BufferRole::weights || role == BufferRole::gradients ||
         role == BufferRole::momentum || role == BufferRole::weight_copies;
}

ParameterArena arena_of(BufferRole role) {
  if (role == BufferRole::weights) return ParameterArena::weights;
  if (role == BufferRole::weight_copies) return ParameterArena::weight_copies;
  return role == BufferRole::gradients ? ParameterArena::gradients : ParameterArena::momentum;
}

double seconds(Clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

template <typename T>
std::function<void(const StepState&)> allreduce_action(const Communicator& group,
                                                       void* data,
                                                       std::int64_t elements,
                                                       AllreduceAlgorithm algorithm) {
  const std::span<T> values(static_cast<T*>(data), static_cast<std::size_t>(elements));
  return [&group, values, algorithm](const StepState&) { group.allreduce(values, algorithm); };
}

}  // namespace

StepRunner::StepRunner(const Schedule& schedule, const StepContext& context)
    : schedule_(schedule), context_(context), times_s_(schedule.operations.size(), 0.0) {
  allocate();
  for (const Operation& operation : schedule.operations) {
    prepared_.push_back(
        std::visit([this](const auto& body) { return prepare(body); }, operation.body));
    if (context_.groups == nullptr && context_.in_place_of_communication &&
        is_communication(operation)) {
      prepared_.back().action = [this, &operation](const StepState&) {
        context_.in_place_of_communication(operation.id);
      };
    }
  }
}

void StepRunner::allocate() {
  arena_ = MemoryBlock(schedule_.arena_bytes);
  own_memory_.resize(schedule_.buffers.size());
  running_layer_.assign(schedule_.buffers.size(), -1);
  for (std::size_t i = 0; i < schedule_.buffers.size(); ++i) {
    const Buffer& candidate = schedule_.buffers[i];
    const bool own = candidate.role == BufferRole::data || candidate.role == BufferRole::labels ||
                     candidate.role == BufferRole::loss;
    if (own) own_memory_[i] = MemoryBlock(candidate.bytes);
  }
  for (std::size_t layer = 0; layer < schedule_.running_mean.size(); ++layer) {
    for (BufferIndex index : {schedule_.running_mean[layer], schedule_.running_variance[layer]}) {
      if (index >= 0) running_layer_[static_cast<std::size_t>(index)] = static_cast<int>(layer);
    }
  }
}

const Buffer& StepRunner::buffer(BufferIndex index) const {
  return schedule_.buffers.at(static_cast<std::size_t>(index));
}

void* StepRunner::address(BufferIndex index) const {
  const Buffer& wanted = buffer(index);
  if (in_arena(wanted.role)) return arena_.data() + wanted.offset_bytes;
  if (wanted.role != BufferRole::running)
    return own_memory_[static_cast<std::size_t>(index)].data();
  const LayerIndex layer = running_layer_[static_cast<std::size_t>(index)];
  return schedule_.running_mean[static_cast<std::size_t>(layer)] == index
             ? context_.parameters->running_mean(layer)
             : context_.parameters->running_variance(layer);
}

TensorView StepRunner::parameter_view(const Operand& operand) const {
  // One slot is seen as its plain shape; a range of slots with its padding, as one flat array.
  const bool is_range = operand.first_slot != operand.last_slot;
  const ParameterSlot& slot = schedule_.slots[static_cast<std::size_t>(operand.first_slot)];
  const std::int64_t elements =
      is_range || slot.role == ParameterRole::weight
          ? context_.parameters->elements(operand.first_slot, operand.last_slot)
          : slot.elements;
  const Box box = whole({{1, 1, 1, 1, elements}});
  void* data =
      context_.parameters->address(arena_of(buffer(operand.buffer).role), operand.first_slot);
  return view_of(data, box, box, bytes_of(buffer(operand.buffer).element));
}

TensorView StepRunner::buffer_view(BufferIndex index, const Box& box) const {
  return view_of(address(index), buffer(index).box, box, bytes_of(buffer(index).element));
}

TensorView StepRunner::view(const Operand& operand) const {
  if (is_parameter(buffer(operand.buffer).role)) return parameter_view(operand);
  return buffer_view(operand.buffer, operand.box);
}

StepRunner::Prepared StepRunner::prepare(const KernelOperation& operation) {
  std::vector<TensorView> views;
  for (const Operand& operand : operation.operands) views.push_back(view(operand));
  KernelSpec spec = operation.spec;
  if (spec.kind == KernelKind::sgd) spec.in = spec.out = views[0].shape();
  std::shared_ptr<Kernel> kernel = context_.backend->make_kernel(spec, operation.constants, {});
  Prepared prepared{.workspace_bytes = kernel->workspace_bytes(),
                    .implementation = kernel->implementation()};
  prepared.action = [kernel = std::move(kernel), views = std::move(views)](const StepState& state) {
    kernel->run(views, state);
  };
  return prepared;
}

StepRunner::Prepared StepRunner::prepare(const TransferOperation& operation) {
  if (context_.groups == nullptr) return {};
  TransferSpec spec{.list = operation.list,
                    .accumulate = operation.accumulate,
                    .zero_first = operation.zero_first,
                    .tag = operation.tag};
  if (operation.source >= 0) {
    spec.source = address(operation.source);
    spec.source_box = buffer(operation.source).box;
  }
  if (operation.destination >= 0) {
    spec.destination = address(operation.destination);
    spec.destination_box = buffer(operation.destination).box;
  }
  spec.element = activation_element(context_.parameters->precision());
  auto transfer = std::make_shared<Transfer>(context_.groups->world(), spec);
  const std::int64_t staging = transfer->buffer_bytes();
  return {.action = [transfer](const StepState&) { transfer->run(); }, .staging_bytes = staging};
}

StepRunner::Prepared StepRunner::prepare(const CollectiveOperation& operation) {
  if (context_.groups == nullptr) return {};
  const Communicator& group = context_.groups->get(operation.group);
  const Operand& operand = operation.operand;
  const TensorView target = view(operand);
  const std::int64_t elements =
      operand.first_slot >= 0 ? context_.parameters->elements(operand.first_slot, operand.last_slot)
                              : volume(target.box);
  const auto make =
      operation.element == ElementType::fp32 ? allreduce_action<float> : allreduce_action<double>;
  return {.action = make(group, target.data, elements, operation.algorithm)};
}

StepRunner::Prepared StepRunner::prepare(const LoadOperation& operation) {
  if (context_.data == nullptr) return {};
  // The tensor's own block is what the first layer that reads it sees; halos come by transfer.
  const Operand samples{.buffer = operation.data, .box = schedule_.data_box};
  return {
      .action = [data = context_.data,
                 sample_view = view(samples),
                 label_view = buffer_view(operation.labels, buffer(operation.labels).box)](
                    const StepState& state) { data->read(state.step, sample_view, label_view); }};
}

void StepRunner::run(const StepState& state) {
  const Clock::time_point start = Clock::now();
  Clock::time_point previous = start;
  for (std::size_t i = 0; i < prepared_.size(); ++i) {
    if (prepared_[i].action) prepared_[i].action(state);
    const Clock::time_point now = Clock::now();
    times_s_[i] = seconds(now - previous);
    previous = now;
  }
  step_time_s_ = seconds(previous - start);
}

double StepRunner::loss() const {
  return *static_cast<const double*>(address(schedule_.loss));
}

std::int64_t StepRunner::memory_bytes() const {
  std::int64_t total = arena_.size_bytes();
  for (const MemoryBlock& block : own_memory_) total += block.size_bytes();
  for (const Prepared& operation : prepared_) {
    total += operation.workspace_bytes + operation.staging_bytes;
  }
  return total;
}

std::int64_t StepRunner::workspace_bytes(OperationIndex operation) const {
  return prepared_.at(static_cast<std::size_t>(operation)).workspace_bytes;
}

const std::string& StepRunner::implementation(OperationIndex operation) const {
  return prepared_.at(static_cast<std::size_t>(operation)).implementation;
}

}  // namespace cnnplan
