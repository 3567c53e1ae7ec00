// Prepares each type of operation with the views, messages and communicators that it needs.
#include "executor/step/operation_preparer.hpp"

#include <type_traits>
#include <utility>
#include <vector>

#include "executor/comm/device_collective.hpp"
#include "executor/comm/transfer.hpp"
#include "executor/comm/watch/lasting.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/step/step_queues.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {

OperationPreparer::OperationPreparer(const Schedule& schedule,
                                     const StepContext& context,
                                     ScheduleMemory& memory,
                                     LeftOutKernels& left_out)
    : schedule_(schedule), context_(context), memory_(memory), left_out_(left_out) {}

PreparedOperation OperationPreparer::prepare(const Operation& operation) const {
  give_sign_of_progress();
  PreparedOperation prepared = std::visit(
      [&]<typename Body>(const Body& body) {
        if constexpr (std::is_same_v<Body, CollectiveOperation>) {
          return prepare_body(body, operation.stream);
        } else {
          return prepare_body(body);
        }
      },
      operation.body);
  prepared.name = &lasting(operation.id);
  prepared.begin = device().make_event();
  prepared.end = device().make_event();
  const bool is_replaced = context_.groups == nullptr && context_.in_place_of_communication &&
                           is_communication(operation);
  if (is_replaced) {
    prepared.start = [&context = context_, &operation](const StepState&) {
      context.backend->device().synchronize();
      context.in_place_of_communication(operation.id);
    };
  }
  return prepared;
}

PreparedOperation OperationPreparer::prepare_body(const KernelOperation& operation) const {
  if (operation.spec.kind == KernelKind::sgd && !context_.updates) return {};
  std::vector<TensorView> views;
  for (const Operand& operand : operation.operands) views.push_back(memory_.view(operand));
  KernelSpec spec = operation.spec;
  // Parameters have the shape in which their slots are stored.
  if (operation.operands[0].first_slot >= 0) spec.in = spec.out = views[0].shape();
  KernelConstants constants = operation.constants;
  constants.replicated = constants.replicated && context_.replicas_agree;
  const std::shared_ptr<Kernel> kernel = make_kernel(operation, spec, constants);
  if (kernel == nullptr) return {};
  PreparedOperation prepared;
  prepared.workspace_bytes = kernel->workspace_bytes();
  prepared.implementation = kernel->implementation();
  prepared.is_kernel = true;
  prepared.start = [kernel, views = std::move(views)](const StepState& state) {
    kernel->run(views, state);
  };
  return prepared;
}

// Returns null where the kernel is left out.
std::shared_ptr<Kernel> OperationPreparer::make_kernel(const KernelOperation& operation,
                                                       const KernelSpec& spec,
                                                       const KernelConstants& constants) const {
  if (left_out_.contains(operation.spec)) return nullptr;
  try {
    return context_.backend->make_kernel(spec, constants, operation.implementation);
  } catch (const BackendError& error) {
    left_out_.insert(operation.spec, error);
  } catch (const InfeasibleError& error) {
    left_out_.insert(operation.spec, error);
  }
  return nullptr;
}

PreparedOperation OperationPreparer::prepare_body(const TransferOperation& operation) const {
  if (context_.groups == nullptr) return {};
  TransferSpec spec{.device = &device(),
                    .list = operation.list,
                    .element = activation_element(context_.parameters->precision()),
                    .accumulate = operation.accumulate,
                    .zero_first = operation.zero_first,
                    .tag = operation.tag};
  if (operation.source >= 0) {
    spec.source = memory_.address(operation.source);
    spec.source_box = source_box(schedule_, operation);
  }
  if (operation.destination >= 0) {
    spec.destination = memory_.address(operation.destination);
    spec.destination_box = destination_box(schedule_, operation);
  }
  auto transfer = std::make_shared<Transfer>(context_.groups->world(), spec);
  PreparedOperation prepared;
  prepared.staging_bytes = transfer->buffer_bytes();
  prepared.start = [transfer](const StepState&) { transfer->start(); };
  prepared.finish = [transfer] { transfer->finish(); };
  return prepared;
}

PreparedOperation OperationPreparer::prepare_body(const CollectiveOperation& operation,
                                                  Stream stream) const {
  if (context_.groups == nullptr) return {};
  const Operand& operand = operation.operand;
  const TensorView target = memory_.view(operand);
  const std::int64_t elements =
      operand.first_slot >= 0 ? context_.parameters->elements(operand.first_slot, operand.last_slot)
                              : volume(target.box);
  const Queue queue = queue_of(stream, context_.overlap);
  const CollectiveSpec spec{.kind = operation.kind,
                            .device = &device(),
                            .data = target.data,
                            .elements = elements,
                            .element = operation.element,
                            .algorithm = operation.algorithm,
                            .ranks_per_node = operation.ranks_per_node,
                            .nccl = operation.algorithm == AllreduceAlgorithm::library
                                        ? context_.groups->get_nccl(operation.group.ranks(), queue)
                                        : nullptr};
  auto collective =
      std::make_shared<DeviceCollective>(context_.groups->get(operation.group.ranks()), spec);
  PreparedOperation prepared;
  prepared.start = [collective](const StepState&) { collective->start(); };
  if (collective->has_finish()) prepared.finish = [collective] { collective->finish(); };
  return prepared;
}

// This rank's kernels read its block of the samples, and halos that no transfer brings. Samples
// that stay the same are copied to a device once.
PreparedOperation OperationPreparer::prepare_body(const LoadOperation& operation) const {
  if (context_.data == nullptr) return {};
  std::vector<TensorView> labels;
  for (const BufferIndex index : operation.labels) {
    labels.push_back(memory_.host_view(index, schedule_.buffers[index].box));
  }
  PreparedOperation prepared;
  prepared.start = [&data = *context_.data,
                    &memory = memory_,
                    &operation,
                    keeps_samples = !device().is_host() && context_.data->is_constant(),
                    samples = memory_.host_view(operation.data, schedule_.data_box),
                    labels = std::move(labels),
                    is_loaded = false](const StepState& state) mutable {
    if (is_loaded && keeps_samples) return;
    data.read_samples(state.step, samples);
    for (const TensorView& block : labels) data.read_labels(state.step, block);
    memory.upload(operation.data);
    for (const BufferIndex index : operation.labels) memory.upload(index);
    is_loaded = true;
  };
  return prepared;
}

}  // namespace cnnplan
