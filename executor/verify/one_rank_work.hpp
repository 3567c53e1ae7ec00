// Tells how much one rank computes in a verification, and how long its convolutions take.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Counts floating-point operations of the convolutions of one step, where a multiply-add counts
// two.
struct ConvolutionWork {
  double usual_flops = 0.0;
  double depthwise_flops = 0.0;  // with one channel in each of several groups
};

// Counts the work of one rank that runs the whole step.
ConvolutionWork convolution_work(const Plan& plan);
// Returns a sentence about the work of all steps that a verification runs on one rank, with an
// estimate of their time. It runs short convolutions to measure their speed.
std::string work_of_one_rank(const Plan& plan);

}  // namespace cnnplan
