// Compares a tensor of a plan with one rank in double, within limits from its sensitivity.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "planner/tensor/element.hpp"

namespace cnnplan {

// Holds one tensor of all runs. All lists are equally long.
struct TensorRuns {
  std::vector<double> computed;              // under the plan
  std::vector<double> exact;                 // on one rank in double
  std::vector<std::vector<double>> rounded;  // on one rank with roundings, run by run
};

// Holds the result of comparing one tensor. The worst element is the one with the largest error
// relative to its limit.
struct TensorComparison {
  std::string name;         // as in a dump: "/conv1/weight_gradient", "/fc/output", "/loss"
  std::size_t element = 0;  // the worst element, counted in row-major order
  double error = 0.0;       // of the worst element
  double limit = 0.0;       // of the worst element
  double norm_error = 0.0;  // L2 norm of all errors
  double norm_limit = 0.0;  // of norm_error
  double rounding = 0.0;    // L2 norm of the largest change in a rounded run; never NaN
  double norm = 0.0;        // of the exact tensor; infinite where a value is not finite
  // This is the L2 norm of the roots of the exact values. If these are variances, it is the norm of
  // the standard deviations.
  double root_norm = 0.0;

  // Returns the error relative to its limit, of the worst element or of the norm. It is infinite
  // where a value of either run is not finite, unless both runs have the same infinity or NaN.
  double excess() const;
};

// Returns the limit of each element: a margin times its largest change in the rounded runs, plus a
// few roundings of its value. A change below the usual change counts as that one. The usual change
// is the root mean square of all changes, without zeros and the few that are far larger.
std::vector<double> element_limits(const TensorRuns& runs, ElementType element);

// Compares a tensor with this name, which is stored in elements of this type. @pre there is a
// rounded run
TensorComparison compare_tensor(std::string name, const TensorRuns& runs, ElementType element);

}  // namespace cnnplan
