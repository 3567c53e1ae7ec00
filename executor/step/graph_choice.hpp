// Chooses whether kernels are put in the queue one by one or as graphs.
#pragma once

#include <limits>

namespace cnnplan {

// Says whether kernels start as graphs. If kernels cannot be captured, `on` fails, and `preferred`
// starts the kernels one by one. `automatic` tries both ways in turns in the steps after the first
// one, and then takes the faster one. It also starts kernels one by one if they cannot be captured.
enum class Graphs { off, on, preferred, automatic };

// Makes the choice for one schedule, step by step.
class GraphChoice {
 public:
  explicit GraphChoice(Graphs graphs) : graphs_(graphs) {}

  // Returns whether the coming step uses graphs. @pre the device has graphs
  bool next() const {
    if (is_refused_) return false;
    if (graphs_ != Graphs::automatic) return graphs_ != Graphs::off;
    return step_ < trials ? step_ % 2 == 0 : graph_s_ < single_s_;
  }
  // Takes the time of the step that next() chose for. Do not call it for the first step of a
  // schedule, in which nothing can be captured. The time of the first call does not count, because
  // its step captures the graphs.
  void record(double step_s) {
    double& least_s = next() ? graph_s_ : single_s_;
    if (step_ > 0 && step_s < least_s) least_s = step_s;
    ++step_;
  }
  // Call it where kernels cannot be put in graphs. From now on, they start one by one.
  void refuse() { is_refused_ = true; }
  // The choice is settled after this number of steps of the schedule: the first one, for which
  // record() is not called, and the trials.
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
