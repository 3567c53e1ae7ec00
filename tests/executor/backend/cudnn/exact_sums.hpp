// Makes kernels with long sums, and compares their results with sums in double. Each comparison
// prints its error, which gpu-check reports: scripts/gpu_check/doctest_output.py reads the lines.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>

#include <doctest/doctest.h>

#include "executor/backend/element.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/executor/backend/cudnn/sum_bound.hpp"
#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {

struct ExactSums {
  std::int64_t terms = 0;
  Values sums;
  Values absolute;  // sums of absolute values

  double error_of(const Values& computed) const {
    if (computed.size() != sums.size()) return INFINITY;
    double largest = 0.0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const double error = std::abs(computed[i] - sums[i]) / absolute[i];
      if (!(error <= largest)) largest = error;
    }
    return largest;
  }
};

// Returns `count` sums of the terms term(sum, 0), term(sum, 1), ...
template <typename Term>
ExactSums exact_sums(std::size_t count, std::int64_t terms, const Term& term) {
  ExactSums exact{.terms = terms, .sums = Values(count), .absolute = Values(count)};
  for (std::size_t sum = 0; sum < count; ++sum) {
    for (std::int64_t i = 0; i < terms; ++i) {
      const double value = term(sum, i);
      exact.sums[sum] += value;
      exact.absolute[sum] += std::abs(value);
    }
  }
  return exact;
}

// `rounding` is the relative error of a result that has few digits.
inline void check_sums(const std::string& name,
                       const Values& computed,
                       const ExactSums& exact,
                       double rounding = 0.0) {
  const double error = exact.error_of(computed);
  const double bound = sum_bound(exact.terms) + rounding;
  const bool keeps_bound = error <= bound;
  std::printf("sum of %lld: %s: error %.3g, at most %.3g, %s\n",
              static_cast<long long>(exact.terms),
              name.c_str(),
              error,
              bound,
              keeps_bound ? "PASS" : "FAIL");
  std::fflush(stdout);
  INFO(name);
  CHECK(keeps_bound);
}

// Returns a dense block with the elements term(0), term(1), ...
template <typename Term>
Block filled(const Candidate& candidate, const Shape& shape, const Term& term) {
  Block block = Block::dense(element_of(candidate.precision), shape);
  with_type_of(activation_element(candidate.precision), [&]<typename T>(T) {
    auto* const elements = reinterpret_cast<T*>(block.device_bytes().data());
    for (std::int64_t i = 0; i < volume(shape); ++i) elements[i] = stored<T>(term(i));
  });
  return block;
}

// Returns the rounding of a result that has the type of activations.
inline double rounding_of(const Candidate& candidate) {
  if (candidate.precision == Precision::bf16) return 0x1p-8;
  return candidate.precision == Precision::fp16 ? 0x1p-11 : 0.0;
}

inline KernelSpec spec_of(KernelKind kind, KernelPhase phase, const Shape& shape) {
  KernelSpec spec;
  spec.kind = kind;
  spec.phase = phase;
  spec.in = spec.out = shape;
  return spec;
}

// Calls check(candidate, name) for all precisions of GPUs.
template <typename Check>
void for_each_precision(const std::string& kind, const Check& check) {
  for (const Candidate& candidate : candidates()) {
    if (candidate.backend != "cudnn") continue;
    check(candidate, kind + " " + std::string(to_text(candidate.precision)));
  }
}

}  // namespace cnnplan::test
