// Kernels of a step that follow each other, captured and started as one graph of the device.
#include <algorithm>

#include "executor/step/step_runner.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

// Shorter runs of kernels gain nothing by a graph.
constexpr std::size_t least_kernels_of_graph = 4;

}  // namespace

bool StepRunner::is_kernel_in(std::size_t operation, int lane) const {
  return operation < prepared_.size() && prepared_[operation].is_kernel &&
         lane_of(operation) == lane;
}

// A run is kernels that follow each other in one queue. The run as a whole may wait for kernels of
// other queues that were started before it. Its kernels wait for nothing else in other queues. In
// one queue, all communication before the run is finished.
void StepRunner::find_runs() {
  const auto waits = [this](std::size_t first, std::size_t index) {
    const auto& depends_on = schedule_.operations[index].depends_on;
    return std::any_of(depends_on.begin(), depends_on.end(), [&](OperationIndex other) {
      const auto earlier = static_cast<std::size_t>(other);
      if (prepared_[earlier].is_kernel && earlier < first) return false;
      return !share_queue(earlier, index) ||
             (context_.overlap && prepared_[earlier].finish != nullptr);
    });
  };
  for (std::size_t first = 0; first < prepared_.size();) {
    std::size_t end = first;
    const bool begins = prepared_[first].is_kernel;
    do ++end;
    while (begins && is_kernel_in(end, lane_of(first)) && !waits(first, end));
    prepared_[first].run_length = end - first;
    first = end;
  }
}

std::unique_ptr<WorkGraph> StepRunner::capture(std::size_t first,
                                               const StepState& state,
                                               Timing timing) {
  const bool timed = timing == Timing::operations;
  const std::size_t end = first + prepared_[first].run_length;
  return device_.capture([&] {
    for (std::size_t i = first; i < end; ++i) {
      if (timed && side_by_side_) prepared_[i].begin->record();
      if (prepared_[i].start) prepared_[i].start(state);
      if (timed) prepared_[i].end->record();
    }
  });
}

// Returns the graph of the run that begins at `first`; null where its kernels start one by one.
WorkGraph* StepRunner::graph_of(std::size_t first, const StepState& state, Timing timing) {
  // The first step runs without graphs, because allocations on first use cannot be captured.
  const bool is_wanted = has_run_ && prepared_[first].run_length >= least_kernels_of_graph;
  if (!is_wanted || !graph_choice_.next()) return nullptr;
  auto& graph = prepared_[first].graphs[timing == Timing::operations ? 0 : 1];
  if (graph != nullptr) return graph.get();
  try {
    graph = capture(first, state, timing);
  } catch (const BackendError& error) {
    refuse_graphs(error);
  }
  return graph.get();
}

// Returns false where the device refuses the graph. Its kernels then start one by one.
bool StepRunner::launches(WorkGraph* graph) {
  if (graph == nullptr) return false;
  try {
    graph->launch();
    return true;
  } catch (const BackendError& error) {
    refuse_graphs(error);
    return false;
  }
}

// Call it in the handler of `error`. @throws the error where graphs were asked for
void StepRunner::refuse_graphs(const BackendError& error) {
  if (context_.graphs == Graphs::on) throw;
  graph_choice_.refuse();
  why_no_graphs_ = error.what();
}

}  // namespace cnnplan
