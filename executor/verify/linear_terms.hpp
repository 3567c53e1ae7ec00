// Computes the sums of absolute terms of linear kernels, on which the rounding of sums depends.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "executor/backend/backend.hpp"
#include "planner/kernel/kernel_operands.hpp"

namespace cnnplan {

// True for kernels each of whose results is one sum of products of operands.
bool is_linear(const KernelSpec& spec);
// Returns the largest number of terms in a result of a linear kernel; at least 2.
double term_count(const KernelSpec& spec);

// Makes the sums of absolute terms with a kernel of the reference backend in double.
class AbsoluteTerms {
 public:
  // @pre is_linear(spec) and spec.precision is fp64
  AbsoluteTerms(const KernelSpec& spec, const KernelConstants& constants, Backend& reference);

  // Returns the sums for each written operand in the order of kernel_operands(), dense and
  // channels-last. Lists of read operands are empty. `operands` are doubles in host memory.
  std::vector<std::vector<double>> run(Operands operands, const StepState& state) const;

 private:
  std::vector<KernelOperand> roles_;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace cnnplan
