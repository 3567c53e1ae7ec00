// Tells how much one rank computes in a verification, and how long its convolutions take.
#pragma once

#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Has floating-point operations of the convolutions of one step.
struct ConvolutionWork {
  double usual_flops = 0.0;
  double depthwise_flops = 0.0;  // with one channel in each of several groups
};

// Counts the work of one rank that runs the whole step.
ConvolutionWork convolution_work(const Plan& plan);
// Returns a sentence about all steps on one rank. It measures the speed of short convolutions.
std::string work_of_one_rank(const Plan& plan);

}  // namespace cnnplan
