// Runs the operations of a step in order, and finishes communication in the order of all ranks.
#include "executor/step/step_runner.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <numeric>

#include "executor/comm/nccl_communicator.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/step/operation_preparer.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

using Clock = std::chrono::steady_clock;

// True for reductions of gradients and of the loss, which may run while kernels do. Gathering
// weights is not one.
bool is_sum(const Operation& operation) {
  const auto* collective = std::get_if<CollectiveOperation>(&operation.body);
  return collective != nullptr && operation.stream == Stream::reduce &&
         collective->kind != CollectiveKind::allgather;
}

void wait_for(Device& device) {
  const DeviceWait wait;
  device.synchronize();
}

// Tells the watchdog what this rank does. Of several lanes, only the first one communicates, and
// the names of kernels in other lanes would hide what it does.
void tell(const PreparedOperation& operation, bool has_lanes) {
  if (has_lanes && operation.is_kernel) return give_sign_of_progress();
  own_record().set_activity(*operation.name);
}

// Updates follow each other.
bool begins_updates(const Schedule& schedule, OperationIndex operation) {
  const auto is_update_at = [&](OperationIndex i) { return is_update(schedule.operations[i]); };
  return is_update_at(operation) && (operation == 0 || !is_update_at(operation - 1));
}

// Returns false where an operation begins at the end of the operation before it. The first update
// begins after the check of the step, whose time is no operation's.
bool has_own_begin(const Schedule& schedule, const StepQueues& queues, OperationIndex operation) {
  return operation == 0 || queues.are_several() || begins_updates(schedule, operation);
}

// Returns the mark where an operation begins. @pre the last step timed its operations
const Event& begin_of(const Schedule& schedule,
                      const PreparedOperations& prepared,
                      const StepQueues& queues,
                      OperationIndex operation) {
  const bool follows = !has_own_begin(schedule, queues, operation);
  return follows ? *prepared[operation - 1].end : *prepared[operation].begin;
}

// Appends the seconds of each operation, from its begin to its end.
void read_times(const Schedule& schedule,
                const PreparedOperations& prepared,
                const StepQueues& queues,
                std::vector<double>& times_s) {
  for (const OperationIndex i : prepared.indices()) {
    times_s.push_back(prepared[i].end->seconds_since(begin_of(schedule, prepared, queues, i)));
  }
}

// Returns the bytes of the largest workspace in each lane.
std::vector<std::int64_t> largest_workspaces_bytes(const Schedule& schedule,
                                                   const PreparedOperations& prepared) {
  std::vector<std::int64_t> largest(schedule.lanes);
  for (const OperationIndex i : prepared.indices()) {
    std::int64_t& own = largest[schedule.operations[i].lane];
    own = std::max(own, prepared[i].workspace_bytes);
  }
  return largest;
}

// The host reads data of the coming step while the device computes.
void load_ahead(const PreparedOperations& prepared, const StepState& state) {
  for (const PreparedOperation& operation : prepared) {
    if (operation.ahead) return operation.ahead(state);
  }
}

}  // namespace

StepRunner::StepRunner(const Schedule& schedule, const StepContext& context)
    : schedule_(schedule),
      context_(context),
      queues_(schedule, context.backend->device(), context.overlap),
      memory_(schedule, context.backend->device(), *context.parameters),
      left_out_(context_),
      marker_(schedule.operations.size()) {
  if (context.states != nullptr) memory_.set_chain_states(*context.states);
  const OperationPreparer preparer(schedule, context_, memory_, left_out_);
  for (const Operation& operation : schedule.operations) {
    prepared_.push_back(preparer.prepare(operation));
  }
  device().reserve_lanes(schedule.lanes);
  graphs_ = std::make_unique<KernelGraphs>(schedule, prepared_, queues_, device(), context.graphs);
  if (device().is_host() && schedule.lanes > 1) {
    lanes_ = std::make_unique<LaneRunner>(schedule, prepared_, queues_, *context.backend);
  }
  reserve_workspaces();
}

StepRunner::~StepRunner() {
  if (std::uncaught_exceptions() > 0) abort_nccl();
}

// Makes the operation's queue wait for the operations of other queues on which it depends.
void StepRunner::select_and_wait(OperationIndex operation) {
  const std::vector<OperationIndex>& depends_on = schedule_.operations[operation].depends_on;
  for (OperationIndex earlier : depends_on) finish(unfinished_.up_to(earlier));
  queues_.select(operation);
  if (!queues_.are_several()) return;
  for (OperationIndex earlier : depends_on) {
    if (!queues_.are_shared(earlier, operation)) prepared_[marker_[earlier]].end->wait();
  }
}

void StepRunner::start(OperationIndex operation, const StepState& state) {
  PreparedOperation& own = prepared_[operation];
  if (!own.start) return;
  tell(own, lanes_ != nullptr);
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
    queues_.select_stream(operation);
  }
}

void StepRunner::start_kernel(OperationIndex operation, const StepState& state) {
  PreparedOperation& own = prepared_[operation];
  try {
    own.start(state);
  } catch (const BackendError& error) {
    if (lanes_) throw;  // Lanes on a host have a way of their own to end a step.
    left_out_.insert(std::get<KernelOperation>(schedule_.operations[operation].body).spec, error);
    own.start = nullptr;
  }
}

void StepRunner::finish(const std::vector<OperationIndex>& operations) {
  for (OperationIndex operation : operations) {
    queues_.select_stream(operation);
    tell(prepared_[operation], lanes_ != nullptr);
    prepared_[operation].finish();
    if (context_.overlap) prepared_[operation].end->record();
  }
}

void StepRunner::finish_all() {
  finish(unfinished_.all());
  device().select(Queue::compute);
}

// All sums are finished before, so that the host sees the gradients and the loss.
void StepRunner::before_updates(const StepState& state) {
  if (!context_.before_updates || !context_.updates) return;
  if (!lanes_) finish_all();
  if (context_.loads_ahead) load_ahead(prepared_, state);
  if (queues_.are_several()) wait_for(device());
  memory_.fetch_loss();
  wait_for(device());
  context_.before_updates(memory_.loss());
}

void StepRunner::run_one_by_one(const StepState& state,
                                const std::function<void(OperationIndex operation)>& done) {
  context_.backend->begin_step(state);
  if (lanes_) {  // whose threads have the workspaces
    const std::vector<std::int64_t> bytes = largest_workspaces_bytes(schedule_, prepared_);
    context_.backend->reserve_workspace(*std::max_element(bytes.begin(), bytes.end()));
  }
  for (const OperationIndex i : prepared_.indices()) {
    if (is_update(schedule_.operations[i])) continue;
    queues_.select(i);
    if (prepared_[i].start) prepared_[i].start(state);
    queues_.select_stream(i);
    if (prepared_[i].finish) prepared_[i].finish();
    wait_for(device());
    done(i);
  }
  device().select(Queue::compute);
}

void StepRunner::run_operations(const StepState& state, Timing timing) {
  const bool several = queues_.are_several();
  const bool marks = timing == Timing::operations || several;
  for (OperationIndex first(0); first < prepared_.end_index();) {
    if (begins_updates(schedule_, first)) before_updates(state);
    select_and_wait(first);
    WorkGraph* const graph = graphs_->graph_of(first, state, timing);
    const OperationIndex run_end = graph != nullptr ? graphs_->run_end(first) : first + 1;
    for (OperationIndex i = first + 1; several && i < run_end; ++i) select_and_wait(i);
    const bool times_begin =
        timing == Timing::operations && has_own_begin(schedule_, queues_, first);
    if (times_begin) prepared_[first].begin->record();
    const bool is_graph = graphs_->launch(graph);
    const OperationIndex end = is_graph ? run_end : first + 1;
    if (!is_graph) start(first, state);
    // Other queues can wait for marks outside of graphs only.
    if (is_graph ? several : marks) prepared_[end - 1].end->record();
    for (; first < end; ++first) marker_[first] = end - 1;
  }
  finish_all();
  if (context_.loads_ahead) load_ahead(prepared_, state);
}

void StepRunner::run(const StepState& state, Timing timing) {
  const Clock::time_point begin = Clock::now();
  device().select(Queue::compute);
  context_.backend->begin_step(state);
  if (lanes_) {
    const auto start_next = [&](OperationIndex operation) {
      if (begins_updates(schedule_, operation)) {
        before_updates(state);
        if (timing == Timing::operations) prepared_[operation].begin->record();
      }
      start(operation, state);
    };
    lanes_->run(start_next, timing);
  } else {
    run_operations(state, timing);
  }
  if (queues_.are_several()) wait_for(device());  // The sum of the loss is in another queue.
  memory_.fetch_loss();
  wait_for(device());
  step_time_s_ = std::chrono::duration<double>(Clock::now() - begin).count();
  graphs_->end_step(step_time_s_, timing);
  times_s_.clear();
  if (timing == Timing::operations) read_times(schedule_, prepared_, queues_, times_s_);
}

MarkedTimes StepRunner::marked_times(OperationIndex operation, const Event& origin) const {
  const Event& begin = begin_of(schedule_, prepared_, queues_, operation);
  return {.begin_s = begin.seconds_since(origin),
          .end_s = prepared_[operation].end->seconds_since(origin)};
}

void StepRunner::reserve_workspaces() {
  const std::vector<std::int64_t> bytes = largest_workspaces_bytes(schedule_, prepared_);
  if (lanes_) return lanes_->reserve_workspaces(bytes);
  for (int lane = 0; lane < schedule_.lanes; ++lane) {
    device().select_lane(lane);
    context_.backend->reserve_workspace(bytes[lane]);
  }
  device().select(Queue::compute);
}

std::int64_t StepRunner::memory_bytes() const {
  std::int64_t total = memory_.bytes();
  const bool shared = context_.backend->fingerprint().shared_workspace;
  for (const PreparedOperation& operation : prepared_) {
    total += operation.staging_bytes + (shared ? 0 : operation.workspace_bytes);
  }
  if (!shared) return total;
  const std::vector<std::int64_t> largest = largest_workspaces_bytes(schedule_, prepared_);
  return std::accumulate(largest.begin(), largest.end(), total);
}

}  // namespace cnnplan
