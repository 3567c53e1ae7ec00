// Prepares each type of operation with the views, messages and communicators that it needs.
#include "executor/step/operation_preparer.hpp"

#include <exception>
#include <type_traits>
#include <utility>
#include <vector>

#include "executor/comm/device_collective.hpp"
#include "executor/comm/transfer.hpp"
#include "executor/comm/watch/lasting.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/step/step_queues.hpp"
#include "planner/base/error.hpp"
#include "planner/schedule/stored_samples.hpp"

namespace cnnplan {
namespace {

// Brings the data of a step to the buffers that kernels read. This rank's kernels read its block of
// the samples, and halos that no transfer brings. Samples that stay the same are copied to a device
// once.
class Loader {
 public:
  Loader(const Schedule& schedule,
         const LoadOperation& operation,
         const StepContext& context,
         const ScheduleMemory& memory)
      : data_(*context.data),
        memory_(memory),
        operation_(operation),
        keeps_samples_(!context.backend->device().is_host() && data_.is_constant()),
        samples_(memory.host_view(operation.data, schedule.data_box)) {
    for (const BufferIndex index : operation.labels) {
      labels_.push_back(memory.host_view(index, schedule.buffers[index].box));
    }
  }

  void load(std::int64_t step) {
    if (is_loaded_ && keeps_samples_) return;
    data_.read_samples(step, samples_);
    for (const TensorView& block : labels_) data_.read_labels(step, block);
    memory_.upload(operation_.data);
    for (const BufferIndex index : operation_.labels) memory_.upload(index);
    is_loaded_ = true;
  }

 private:
  DataSource& data_;
  const ScheduleMemory& memory_;
  const LoadOperation& operation_;
  bool keeps_samples_;
  TensorView samples_;
  std::vector<TensorView> labels_;
  bool is_loaded_ = false;
};

// Loads data of the coming step while the device computes, and then gives them to the buffers that
// kernels read. @pre the device is no host
class AheadLoader {
 public:
  AheadLoader(const Schedule& schedule,
              const LoadOperation& operation,
              const StepContext& context,
              const ScheduleMemory& memory)
      : loader_(schedule, operation, context, memory),
        data_(*context.data),
        device_(context.backend->device()),
        loads_ahead_(context.loads_ahead),
        uploaded_(device_.make_event()),
        taken_(device_.make_event()) {
    add_block(schedule, operation.data, schedule.data_box, memory);
    for (const BufferIndex index : operation.labels) {
      add_block(schedule, index, schedule.buffers[index].box, memory);
    }
  }

  std::int64_t device_bytes() const {
    std::int64_t bytes = 0;
    for (const Block& block : blocks_) bytes += block.coming.size_bytes();
    return bytes;
  }

  // Ends in the selected queue. An error of load_ahead() belongs to the step whose data it read.
  void load(std::int64_t step) {
    if (std::exchange(coming_step_, none) != step) return loader_.load(step);
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    uploaded_->wait();
    for (const Block& block : blocks_) {
      if (!is_empty(block.read.box)) device_.copy(block.copy);
    }
    taken_->record();
  }

  // @pre the copies of the last call to the device are done
  void load_ahead(std::int64_t step) {
    if (coming_step_ == step || !loads_ahead_(step)) return;
    coming_step_ = step;
    error_ = nullptr;
    try {
      read(step);
    } catch (...) {
      error_ = std::current_exception();
      return;
    }
    device_.select(Queue::load);
    taken_->wait();
    for (const Block& block : blocks_) {
      device_.copy_to_device(block.coming.data(), block.staging.data(), block.coming.size_bytes());
    }
    uploaded_->record();
    device_.select(Queue::compute);
  }

 private:
  // Holds a buffer's data of the coming step.
  struct Block {
    MemoryBlock staging;  // page-locked memory of the host
    MemoryBlock coming;   // memory of the device
    TensorView read;      // what the data source fills, in `staging`
    BoxCopy copy;         // from `coming` to the buffer
  };
  static constexpr std::int64_t none = -1;

  void add_block(const Schedule& schedule,
                 BufferIndex index,
                 const Box& read,
                 const ScheduleMemory& memory) {
    const Buffer& buffer = schedule.buffers[index];
    const std::int64_t element_bytes = bytes_of(buffer.element);
    Block block{.staging = device_.allocate_staging(buffer.bytes),
                .coming = device_.allocate(buffer.bytes),
                .read = {},
                .copy = {}};
    block.read = view_of(block.staging.data(), buffer.box, read, element_bytes);
    block.copy = make_box_copy(memory.buffer_view(index, read),
                               view_of(block.coming.data(), buffer.box, read, element_bytes),
                               moved_as(buffer.element));
    block.copy.zeros =
        stored_box(schedule, index, kind_of(device_))[Dim::c].size() - buffer.box[Dim::c].size();
    blocks_.push_back(std::move(block));
  }

  // The samples come first, and the labels after them.
  void read(std::int64_t step) {
    data_.read_samples(step, blocks_.front().read);
    for (std::size_t i = 1; i < blocks_.size(); ++i) data_.read_labels(step, blocks_[i].read);
  }

  Loader loader_;
  DataSource& data_;
  Device& device_;
  std::function<bool(std::int64_t step)> loads_ahead_;
  std::unique_ptr<Event> uploaded_;  // marks when the data of the coming step are there
  std::unique_ptr<Event> taken_;     // marks when they were copied, and may be overwritten
  std::vector<Block> blocks_;
  std::int64_t coming_step_ = none;
  std::exception_ptr error_;
};

}  // namespace

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
  KernelSpec spec = stored_spec(schedule_, operation, kind_of(device()));
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

// A coming step's data are copied to memory of their own, because this step still reads the buffers
// of its data. The copy between both is as fast as the device's memory.
PreparedOperation OperationPreparer::prepare_body(const LoadOperation& operation) const {
  if (context_.data == nullptr) return {};
  PreparedOperation prepared;
  const bool is_ahead =
      context_.loads_ahead && !device().is_host() && !context_.data->is_constant();
  if (!is_ahead) {
    const auto loader = std::make_shared<Loader>(schedule_, operation, context_, memory_);
    prepared.start = [loader](const StepState& state) { loader->load(state.step); };
    return prepared;
  }
  const auto loader = std::make_shared<AheadLoader>(schedule_, operation, context_, memory_);
  prepared.staging_bytes = loader->device_bytes();
  prepared.start = [loader](const StepState& state) { loader->load(state.step); };
  prepared.ahead = [loader](const StepState& state) { loader->load_ahead(state.step + 1); };
  return prepared;
}

}  // namespace cnnplan
