// Preparation of the operations of a step, and their execution in order.
#include "executor/step/step_runner.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

#include "executor/comm/device_collective.hpp"
#include "executor/comm/transfer.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

using Clock = std::chrono::steady_clock;

Queue queue_of(Stream stream) {
  if (stream == Stream::halo) return Queue::halo;
  return stream == Stream::reduce ? Queue::reduce : Queue::compute;
}

// True for reductions of gradients and of the loss, which may run while kernels do. Gathering
// weights is not one.
bool is_sum(const Operation& operation) {
  const auto* collective = std::get_if<CollectiveOperation>(&operation.body);
  return collective != nullptr && operation.stream == Stream::reduce &&
         collective->kind != CollectiveKind::allgather;
}

}  // namespace

StepRunner::StepRunner(const Schedule& schedule, const StepContext& context)
    : schedule_(schedule),
      context_(context),
      device_(context.backend->device()),
      side_by_side_(context.overlap || schedule.lanes > 1),
      memory_(schedule, device_, *context.parameters),
      marker_(schedule.operations.size()),
      ends_(schedule.operations.size()),
      graph_choice_(device_.is_host() ? Graphs::off : context.graphs) {
  if (context.states != nullptr) memory_.set_chain_states(*context.states);
  for (const Operation& operation : schedule.operations) {
    prepared_.push_back(
        std::visit([this](const auto& body) { return prepare(body); }, operation.body));
    prepared_.back().begin = device_.make_event();
    prepared_.back().end = device_.make_event();
    if (context_.groups == nullptr && context_.in_place_of_communication &&
        is_communication(operation)) {
      prepared_.back().start = [this, &operation](const StepState&) {
        device_.synchronize();
        context_.in_place_of_communication(operation.id);
      };
    }
  }
  device_.reserve_lanes(schedule.lanes);
  if (context_.graphs != Graphs::off && !device_.is_host()) find_runs();
  if (device_.is_host() && schedule.lanes > 1) start_threads();
  reserve_workspaces();
}

StepRunner::Prepared StepRunner::prepare(const KernelOperation& operation) {
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
  Prepared prepared;
  prepared.workspace_bytes = kernel->workspace_bytes();
  prepared.implementation = kernel->implementation();
  prepared.is_kernel = true;
  prepared.start = [kernel, views = std::move(views)](const StepState& state) {
    kernel->run(views, state);
  };
  return prepared;
}

// Returns null where the kernel is left out.
std::shared_ptr<Kernel> StepRunner::make_kernel(const KernelOperation& operation,
                                                const KernelSpec& spec,
                                                const KernelConstants& constants) {
  if (left_out_.contains(operation.spec)) return nullptr;
  try {
    return context_.backend->make_kernel(spec, constants, operation.implementation);
  } catch (const BackendError& error) {
    leave_out(operation.spec, error);
  } catch (const InfeasibleError& error) {
    leave_out(operation.spec, error);
  }
  return nullptr;
}

// Call it in the handler of `error`. @throws the error where no kernel may be left out,
// DeviceLostError where no other kernel could run
void StepRunner::leave_out(const KernelSpec& spec, const Error& error) {
  if (!context_.left_out) throw;
  device_.synchronize();
  if (left_out_.insert(spec).second) context_.left_out(spec, error.what());
}

StepRunner::Prepared StepRunner::prepare(const TransferOperation& operation) {
  if (context_.groups == nullptr) return {};
  TransferSpec spec{.device = &device_,
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
  Prepared prepared;
  prepared.staging_bytes = transfer->buffer_bytes();
  prepared.start = [transfer](const StepState&) { transfer->start(); };
  prepared.finish = [transfer] { transfer->finish(); };
  return prepared;
}

StepRunner::Prepared StepRunner::prepare(const CollectiveOperation& operation) {
  if (context_.groups == nullptr) return {};
  const Operand& operand = operation.operand;
  const TensorView target = memory_.view(operand);
  const std::int64_t elements =
      operand.first_slot >= 0 ? context_.parameters->elements(operand.first_slot, operand.last_slot)
                              : volume(target.box);
  const CollectiveSpec spec{.kind = operation.kind,
                            .device = &device_,
                            .data = target.data,
                            .elements = elements,
                            .element = operation.element,
                            .algorithm = operation.algorithm,
                            .ranks_per_node = operation.ranks_per_node,
                            .nccl = operation.algorithm == AllreduceAlgorithm::library
                                        ? context_.groups->get_nccl(operation.group.ranks())
                                        : nullptr};
  auto allreduce =
      std::make_shared<DeviceCollective>(context_.groups->get(operation.group.ranks()), spec);
  Prepared prepared;
  prepared.start = [allreduce](const StepState&) { allreduce->start(); };
  prepared.finish = [allreduce] { allreduce->finish(); };
  return prepared;
}

StepRunner::Prepared StepRunner::prepare(const LoadOperation& operation) {
  if (context_.data == nullptr) return {};
  std::vector<TensorView> labels;
  for (const BufferIndex index : operation.labels) {
    labels.push_back(
        memory_.host_view(index, schedule_.buffers[static_cast<std::size_t>(index)].box));
  }
  Prepared prepared;
  // This rank's kernels read its block of the samples, and halos that no transfer brings.
  prepared.start = [this,
                    &operation,
                    samples = memory_.host_view(operation.data, schedule_.data_box),
                    labels = std::move(labels)](const StepState& state) {
    const bool is_there = has_run_ && !device_.is_host() && context_.data->is_constant();
    if (is_there) return;
    context_.data->read_samples(state.step, samples);
    for (const TensorView& block : labels) context_.data->read_labels(state.step, block);
    memory_.upload(operation.data);
    for (const BufferIndex index : operation.labels) memory_.upload(index);
  };
  return prepared;
}

Queue StepRunner::queue_of(std::size_t operation) const {
  return context_.overlap ? cnnplan::queue_of(schedule_.operations[operation].stream)
                          : Queue::compute;
}

bool StepRunner::share_queue(std::size_t one, std::size_t other) const {
  return lane_of(one) == lane_of(other) && queue_of(one) == queue_of(other);
}

void StepRunner::select(std::size_t operation) {
  const int lane = lane_of(operation);
  lane > 0 ? device_.select_lane(lane) : device_.select(queue_of(operation));
}

// Makes the operation's queue wait for the operations of other queues on which it depends.
void StepRunner::select_and_wait(std::size_t operation) {
  for (OperationIndex earlier : schedule_.operations[operation].depends_on) {
    finish(unfinished_.up_to(static_cast<std::size_t>(earlier)));
  }
  select(operation);
  if (!side_by_side_) return;
  for (OperationIndex earlier : schedule_.operations[operation].depends_on) {
    const auto index = static_cast<std::size_t>(earlier);
    if (!share_queue(index, operation)) prepared_[marker_[index]].end->wait();
  }
}

void StepRunner::start(std::size_t operation, const StepState& state) {
  Prepared& own = prepared_[operation];
  if (!own.start) return;
  if (own.is_kernel) return start_kernel(operation, state);
  own.start(state);
  if (!own.finish) return;
  const bool is_reduction = schedule_.operations[operation].stream == Stream::reduce;
  unfinished_.start(operation,
                    is_reduction ? FinishOrder::Urgency::reduction : FinishOrder::Urgency::prompt);
  if (!context_.overlap) {
    finish(unfinished_.all());
  } else if (is_sum(schedule_.operations[operation])) {
    // Nothing asks for the sums before the end, but the host may have to add them.
    finish(unfinished_.before(operation));
    device_.select(queue_of(operation));
  }
}

void StepRunner::start_kernel(std::size_t operation, const StepState& state) {
  Prepared& own = prepared_[operation];
  try {
    own.start(state);
  } catch (const BackendError& error) {
    if (threads_) throw;  // Lanes on a host have a way of their own to end a step.
    leave_out(std::get<KernelOperation>(schedule_.operations[operation].body).spec, error);
    own.start = nullptr;
  }
}

void StepRunner::finish(const std::vector<std::size_t>& operations) {
  for (std::size_t operation : operations) {
    device_.select(queue_of(operation));
    prepared_[operation].finish();
    if (context_.overlap) prepared_[operation].end->record();
  }
}

void StepRunner::finish_all() {
  finish(unfinished_.all());
  device_.select(Queue::compute);
}

void StepRunner::run_operations(const StepState& state, Timing timing) {
  const bool marks = timing == Timing::operations || side_by_side_;
  for (std::size_t first = 0; first < prepared_.size();) {
    select_and_wait(first);
    WorkGraph* const graph = graph_of(first, state, timing);
    const std::size_t run_end = first + (graph != nullptr ? prepared_[first].run_length : 1);
    for (std::size_t i = first + 1; side_by_side_ && i < run_end; ++i) select_and_wait(i);
    // In one queue, an operation begins where the one before it ends.
    const bool times_begin = timing == Timing::operations && (side_by_side_ || first == 0);
    if (times_begin) prepared_[first].begin->record();
    const bool is_graph = launches(graph);
    const std::size_t end = is_graph ? run_end : first + 1;
    if (!is_graph) start(first, state);
    // Other queues can wait for marks outside of graphs only.
    if (is_graph ? side_by_side_ : marks) prepared_[end - 1].end->record();
    for (; first < end; ++first) marker_[first] = end - 1;
  }
  finish_all();
}

void StepRunner::run(const StepState& state, Timing timing) {
  const Clock::time_point start = Clock::now();
  device_.select(Queue::compute);
  context_.backend->begin_step(state);
  threads_ ? run_lanes(state, timing) : run_operations(state, timing);
  if (side_by_side_) device_.synchronize();  // The sum of the loss is in another queue.
  memory_.fetch_loss();
  device_.synchronize();
  step_time_s_ = std::chrono::duration<double>(Clock::now() - start).count();
  if (has_run_ && timing == Timing::step) graph_choice_.record(step_time_s_);
  has_run_ = true;
  times_s_.clear();
  if (timing == Timing::operations) read_times();
}

// An operation takes the time from its begin to its end. In one queue, it begins at the end of the
// operation before it.
void StepRunner::read_times() {
  for (std::size_t i = 0; i < prepared_.size(); ++i) {
    const bool follows = i > 0 && !side_by_side_;
    const Event& begin = follows ? *prepared_[i - 1].end : *prepared_[i].begin;
    times_s_.push_back(prepared_[i].end->seconds_since(begin));
  }
}

std::vector<std::int64_t> StepRunner::largest_workspaces_bytes() const {
  std::vector<std::int64_t> largest(static_cast<std::size_t>(schedule_.lanes));
  for (std::size_t i = 0; i < prepared_.size(); ++i) {
    std::int64_t& own = largest[static_cast<std::size_t>(lane_of(i))];
    own = std::max(own, prepared_[i].workspace_bytes);
  }
  return largest;
}

void StepRunner::reserve_workspaces() {
  const std::vector<std::int64_t> bytes = largest_workspaces_bytes();
  if (threads_) {
    return threads_->run([&](int lane) {
      context_.backend->reserve_workspace(bytes[static_cast<std::size_t>(lane)]);
    });
  }
  for (std::size_t lane = 0; lane < bytes.size(); ++lane) {
    device_.select_lane(static_cast<int>(lane));
    context_.backend->reserve_workspace(bytes[lane]);
  }
  device_.select(Queue::compute);
}

std::int64_t StepRunner::memory_bytes() const {
  std::int64_t total = memory_.bytes();
  const bool shared = context_.backend->fingerprint().shared_workspace;
  for (const Prepared& operation : prepared_) {
    total += operation.staging_bytes + (shared ? 0 : operation.workspace_bytes);
  }
  if (!shared) return total;
  const std::vector<std::int64_t> largest = largest_workspaces_bytes();
  return std::accumulate(largest.begin(), largest.end(), total);
}

std::int64_t StepRunner::workspace_bytes(OperationIndex operation) const {
  return prepared_.at(static_cast<std::size_t>(operation)).workspace_bytes;
}

bool StepRunner::runs(OperationIndex operation) const {
  return prepared_.at(static_cast<std::size_t>(operation)).start != nullptr;
}

const std::string& StepRunner::implementation(OperationIndex operation) const {
  return prepared_.at(static_cast<std::size_t>(operation)).implementation;
}

}  // namespace cnnplan
