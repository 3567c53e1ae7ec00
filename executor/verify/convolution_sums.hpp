// Computes single results of a convolution in double, with the sums of their absolute terms.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Adds up terms and their absolute values.
struct TermSum {
  double value = 0.0;     // sum of the terms
  double absolute = 0.0;  // sum of their absolute values

  void add(double term) {
    value += term;
    absolute += term < 0.0 ? -term : term;
  }
};

// Computes results of one convolution. Its blocks are dense and channels-last, and its weight is in
// plain order. Operands that the phase does not read are empty. Indices are local: (n, c, d, h, w).
class ConvolutionSums {
 public:
  using Index = std::array<std::int64_t, dim_count>;

  // Refers to the operands, which must outlive the ConvolutionSums.
  struct Data {
    std::span<const double> x, dy, weight, bias;
  };
  ConvolutionSums(const KernelSpec& spec, const Data& data) : spec_(spec), data_(data) {}

  TermSum y(const Index& at) const;  // before a ReLU
  TermSum dx(const Index& at) const;
  // Returns the gradient of one weight. `at` is its place in plain order (F, C/groups, KD, KH, KW).
  TermSum dweight(std::int64_t at) const;
  TermSum dbias(std::int64_t filter) const;

 private:
  KernelSpec spec_;
  Data data_;
};

}  // namespace cnnplan
