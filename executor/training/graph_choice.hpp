// Whether kernels are put in the queue one by one or as graphs.
#pragma once

#include <limits>

namespace cnnplan {

enum class Graphs { off, on, automatic };

// `automatic` tries both in turns in the first steps and then takes what was faster.
class GraphChoice {
 public:
  explicit GraphChoice(Graphs graphs) : graphs_(graphs) {}

  // For the coming step.
  bool next() const {
    if (is_refused_) return false;
    if (graphs_ != Graphs::automatic) return graphs_ == Graphs::on;
    return step_ < trials ? step_ % 2 == 0 : graph_s_ < single_s_;
  }
  // How long it took. The first step with graphs, which captures them, does not count.
  void record(double step_s) {
    double& least_s = next() ? graph_s_ : single_s_;
    if (step_ > 0 && step_s < least_s) least_s = step_s;
    ++step_;
  }
  // What was put in graphs cannot be: from now on, kernels are put in the queue one by one.
  void refuse() { is_refused_ = true; }
  // Steps until it is settled, counting the one before the first trial.
  static constexpr int settling_steps = 7;

 private:
  static constexpr int trials = settling_steps - 1;

  Graphs graphs_;
  bool is_refused_ = false;
  int step_ = 0;
  double graph_s_ = std::numeric_limits<double>::infinity();
  double single_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace cnnplan
