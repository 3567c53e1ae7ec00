// Finds the runs of kernels, captures them in the second step, and starts them from then on.
#include "executor/step/kernel_graphs.hpp"

#include <algorithm>
#include <map>

namespace cnnplan {
namespace {

// Shorter runs of kernels gain nothing by a graph.
constexpr int least_kernels_of_graph = 4;

}  // namespace

KernelGraphs::KernelGraphs(const Schedule& schedule,
                           const PreparedOperations& prepared,
                           const StepQueues& queues,
                           Device& device,
                           Graphs graphs)
    : prepared_(prepared),
      queues_(queues),
      device_(device),
      is_required_(graphs == Graphs::on),
      choice_(device.is_host() ? Graphs::off : graphs),
      run_lengths_(prepared.size(), 1),
      graphs_(prepared.size()) {
  if (graphs != Graphs::off && !device.is_host()) find_runs(schedule);
}

bool KernelGraphs::is_kernel_in(OperationIndex operation, int lane) const {
  return operation < prepared_.end_index() && prepared_[operation].is_kernel &&
         queues_.lane_of(operation) == lane;
}

// True where the operation cannot be in a run that begins at `first`.
bool KernelGraphs::waits(const Operation& operation,
                         OperationIndex index,
                         OperationIndex first) const {
  const auto& depends_on = operation.depends_on;
  return std::any_of(depends_on.begin(), depends_on.end(), [&](OperationIndex earlier) {
    if (prepared_[earlier].is_kernel && earlier < first) return false;
    return !queues_.are_shared(earlier, index) ||
           (queues_.overlap() && prepared_[earlier].finish != nullptr);
  });
}

void KernelGraphs::find_runs(const Schedule& schedule) {
  for (OperationIndex first(0); first < prepared_.end_index();) {
    OperationIndex end = first;
    const bool begins = prepared_[first].is_kernel;
    do ++end;
    while (begins && is_kernel_in(end, queues_.lane_of(first)) &&
           is_update(schedule.operations[end]) == is_update(schedule.operations[first]) &&
           !waits(schedule.operations[end], end, first));
    run_lengths_[first] = end - first;
    first = end;
  }
}

std::unique_ptr<WorkGraph> KernelGraphs::capture(OperationIndex first,
                                                 const StepState& state,
                                                 Timing timing) {
  const bool is_timed = timing == Timing::operations;
  return device_.capture([&] {
    for (OperationIndex i = first; i < run_end(first); ++i) {
      if (is_timed && queues_.are_several()) prepared_[i].begin->record();
      if (prepared_[i].start) prepared_[i].start(state);
      if (is_timed) prepared_[i].end->record();
    }
  });
}

WorkGraph* KernelGraphs::graph_of(OperationIndex first, const StepState& state, Timing timing) {
  // The first step runs without graphs, because allocations on first use cannot be captured.
  const bool is_wanted = has_run_ && run_lengths_[first] >= least_kernels_of_graph;
  if (!is_wanted || !choice_.next()) return nullptr;
  auto& graph = graphs_[first][timing == Timing::operations ? 0 : 1];
  if (graph != nullptr) return graph.get();
  try {
    graph = capture(first, state, timing);
  } catch (const BackendError& error) {
    refuse(error);
  }
  return graph.get();
}

std::size_t KernelGraphs::added_events() const {
  std::map<int, std::size_t> by_lane;
  for (OperationIndex first(0); first < prepared_.end_index();) {
    const bool has_begins = queues_.are_several() && graphs_[first][0] != nullptr;
    const OperationIndex end = run_end(first);
    for (; first < end; ++first) by_lane[queues_.lane_of(first)] += has_begins ? 2 : 1;
  }
  std::size_t most = 0;
  for (const auto& [lane, events] : by_lane) most = std::max(most, events);
  return most;
}

bool KernelGraphs::launch(WorkGraph* graph) {
  if (graph == nullptr) return false;
  try {
    graph->launch();
    return true;
  } catch (const BackendError& error) {
    refuse(error);
    return false;
  }
}

// Call it in the handler of `error`. @throws the error where graphs were asked for
void KernelGraphs::refuse(const BackendError& error) {
  if (is_required_) throw;
  choice_.refuse();
  why_none_ = error.what();
}

void KernelGraphs::end_step(double step_s, Timing timing) {
  if (has_run_ && timing == Timing::step) choice_.record(step_s);
  has_run_ = true;
}

}  // namespace cnnplan
