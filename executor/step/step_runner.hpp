// The executor's interpreter, which runs a schedule step by step. It decides nothing about
// distribution.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/data/data_source.hpp"
#include "executor/step/finish_order.hpp"
#include "executor/step/graph_choice.hpp"
#include "executor/step/groups.hpp"
#include "executor/step/lane_threads.hpp"
#include "executor/step/operation_ends.hpp"
#include "executor/step/schedule_memory.hpp"
#include "planner/base/error.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// The objects that a schedule runs on, which are borrowed, and how it runs.
struct StepContext {
  Backend* backend = nullptr;
  ParameterStore* parameters = nullptr;
  Groups* groups = nullptr;             // null: communication is left out (profiling)
  DataSource* data = nullptr;           // null: samples and labels stay as they are
  const ChainStates* states = nullptr;  // where chains start from; null: from zeros
  // Where communication is left out, it is called instead with the operation's id; may be empty.
  std::function<void(const std::string& id)> in_place_of_communication;
  bool updates = true;         // false: weights and momentum stay as they are
  bool replicas_agree = true;  // false: ranks with replicas may compute other bits (profiling)
  // True: operations use the queue of their stream; false: all use one. It is for devices with
  // queues.
  bool overlap = false;
  Graphs graphs = Graphs::off;  // whether kernels that follow each other start as one graph
  // Where it is set, a kernel that cannot be made or started is left out of all steps, and it is
  // called once for the kernel. Empty: the error is thrown.
  std::function<void(const KernelSpec& spec, const std::string& why)> left_out = {};
};

// What a step measures: each operation, or the step alone. Events between kernels cost time on a
// GPU.
enum class Timing { operations, step };

// Builds kernels, transfers and buffers once; a step allocates nothing.
class StepRunner {
 public:
  // Keeps references to `schedule` and to the objects of `context`. It is collective where the
  // schedule communicates. @throws BackendError for a kernel that the backend refuses
  StepRunner(const Schedule& schedule, const StepContext& context);
  StepRunner(const StepRunner&) = delete;
  StepRunner& operator=(const StepRunner&) = delete;

  // Runs one step. It blocks, and is collective over all ranks of the schedule.
  void run(const StepState& state, Timing timing = Timing::operations);

  // Returns the seconds of every operation in the last step; empty unless they were timed.
  std::span<const double> operation_times_s() const { return times_s_; }
  double step_time_s() const { return step_time_s_; }
  // Returns the mean loss over the global mini-batch of the last step. Several losses are summed
  // with their weights.
  double loss() const { return memory_.loss(); }
  const ScheduleMemory& memory() const { return memory_; }
  std::int64_t memory_bytes() const;
  // False for an operation that does nothing, such as a kernel that was left out.
  bool runs(OperationIndex operation) const;
  // Returns why kernels start one by one, although graphs were preferred; else empty.
  const std::string& why_no_graphs() const { return why_no_graphs_; }
  // Returns 0 or "" for an operation that is no kernel.
  std::int64_t workspace_bytes(OperationIndex operation) const;
  const std::string& implementation(OperationIndex operation) const;

 private:
  using Action = std::function<void(const StepState&)>;
  struct Prepared {
    Action start;                  // empty: left out
    std::function<void()> finish;  // empty: the host has nothing left to do
    std::int64_t workspace_bytes = 0;
    std::int64_t staging_bytes = 0;
    std::string implementation;
    bool is_kernel = false;
    std::unique_ptr<Event> begin;
    std::unique_ptr<Event> end;
    std::array<std::unique_ptr<WorkGraph>, 2> graphs;  // by timing: the run that begins here
    std::size_t run_length = 1;                        // kernels in that run
  };

  Prepared prepare(const KernelOperation& operation);
  Prepared prepare(const TransferOperation& operation);
  Prepared prepare(const CollectiveOperation& operation);
  Prepared prepare(const LoadOperation& operation);
  std::shared_ptr<Kernel> make_kernel(const KernelOperation& operation,
                                      const KernelSpec& spec,
                                      const KernelConstants& constants);
  void leave_out(const KernelSpec& spec, const Error& error);
  bool is_kernel_in(std::size_t operation, int lane) const;
  void find_runs();
  void reserve_workspaces();
  std::vector<std::int64_t> largest_workspaces_bytes() const;

  int lane_of(std::size_t operation) const { return schedule_.operations[operation].lane; }
  Queue queue_of(std::size_t operation) const;
  bool share_queue(std::size_t one, std::size_t other) const;
  void select(std::size_t operation);
  void select_and_wait(std::size_t operation);
  void start(std::size_t operation, const StepState& state);
  void start_kernel(std::size_t operation, const StepState& state);
  void finish(const std::vector<std::size_t>& operations);
  void finish_all();
  WorkGraph* graph_of(std::size_t first, const StepState& state, Timing timing);
  std::unique_ptr<WorkGraph> capture(std::size_t first, const StepState& state, Timing timing);
  bool launches(WorkGraph* graph);
  void refuse_graphs(const BackendError& error);
  void run_operations(const StepState& state, Timing timing);
  // These are for a host with several lanes.
  void start_threads();
  void run_lanes(const StepState& state, Timing timing);
  void run_lane(int lane, const StepState& state, Timing timing);
  void run_in_lane(std::size_t operation, const StepState& state, Timing timing);
  void await_other_lanes(std::size_t operation);
  void read_times();

  const Schedule& schedule_;
  StepContext context_;
  Device& device_;
  bool side_by_side_;  // more than one queue is used
  ScheduleMemory memory_;
  std::vector<Prepared> prepared_;
  FinishOrder unfinished_;           // operations that the host still has to finish
  std::vector<std::size_t> marker_;  // by operation: the operation whose end marks its own
  OperationEnds ends_;               // for threads
  std::vector<std::vector<std::size_t>> by_lane_;  // the operations of each lane, for threads
  GraphChoice graph_choice_;
  std::string why_no_graphs_;
  std::set<KernelSpec> left_out_;
  bool has_run_ = false;
  std::vector<double> times_s_;
  double step_time_s_ = 0.0;
  std::unique_ptr<LaneThreads> threads_;  // for a host with several lanes; they end first
};

}  // namespace cnnplan
