// Bounds the rounding errors of kernels that are no convolutions.
#pragma once

#include <cstddef>
#include <vector>

#include "executor/backend/backend.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan {

// Holds the operands of one run of a kernel as dense doubles, in the order of kernel_operands().
struct KernelValues {
  std::vector<std::vector<double>> before;  // as the kernel found them
  std::vector<std::vector<double>> exact;   // after the reference in double
  // The sums of the absolute terms of each result, for kernels whose results are all sums. Else
  // empty.
  std::vector<std::vector<double>> absolute;
};

// Returns the limit for the error of a sum of `terms` terms, whose absolute values have the sum
// `absolute`. It is 4 * absolute * (sum_rounding * sqrt(terms) + factor_rounding), with the
// functions of rounding.hpp. The root is from Higham and Mary 2019.
double sum_limit(double absolute, double terms, Precision precision);
// Returns the limit for the error that storing a result in `element` adds.
double stored_limit(double exact, ElementType element);

// Names one run of a kernel that is checked.
struct KernelRun {
  const KernelSpec& spec;
  const KernelConstants& constants;
  const StepState& state;
  const KernelValues& values;
};

// Returns the limit for the error of each element of a written operand. `operand` is its place in
// kernel_operands(). @pre the kernel is no convolution
std::vector<double> kernel_limits(const KernelRun& run, std::size_t operand);

}  // namespace cnnplan
