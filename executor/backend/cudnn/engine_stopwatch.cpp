// Launches several runs as one graph. Launched one by one, short kernels would wait for the host,
// and the events would time the host.
#include "executor/backend/cudnn/engine_stopwatch.hpp"

#include <algorithm>
#include <limits>

namespace cnnplan::cudnn {
namespace {

constexpr int runs_per_graph = 4;
constexpr int timed_launches = 3;
// First runs that take longer than the best known ones by this factor are not repeated.
constexpr double hopeless = 2.0;

}  // namespace

double Stopwatch::best_seconds(ConvolutionProgram& program,
                               const ConvolutionOperands& operands,
                               double best_known_s) {
  program.run(operands);
  device_.synchronize();
  const auto graph = device_.capture([&] {
    for (int run = 0; run < runs_per_graph; ++run) program.run(operands);
  });
  double best_s = seconds(*graph) / runs_per_graph;
  for (int launch = 1; launch < timed_launches; ++launch) {
    if (best_s > hopeless * best_known_s) return std::numeric_limits<double>::infinity();
    best_s = std::min(best_s, seconds(*graph) / runs_per_graph);
  }
  return best_s;
}

double Stopwatch::seconds(WorkGraph& graph) {
  begin_->record();
  graph.launch();
  end_->record();
  device_.synchronize();
  return end_->seconds_since(*begin_);
}

}  // namespace cnnplan::cudnn
