// Numbers whose exact sums are known, and kernels that sum them on a CPU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/element.hpp"
#include "tests/executor/backend/harness.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {

// Returns the rows of an image that sums go over. Sanitizers look for wrong accesses, and a tenth
// of the rows has all kinds of them.
constexpr std::int64_t rows_of(std::int64_t rows) {
  return is_slow_build ? rows / 10 : rows;
}

enum class Numbers { ones, equal, positive, mixed };
inline constexpr Numbers all_numbers[] = {
    Numbers::ones, Numbers::equal, Numbers::positive, Numbers::mixed};

template <typename T>
std::vector<T> numbers(Numbers kind, std::int64_t count, std::uint64_t seed = 1) {
  std::vector<T> values(count, T(kind == Numbers::ones ? 1.0F : 0.7F));
  if (kind == Numbers::ones || kind == Numbers::equal) return values;
  std::uint64_t state = seed * 0x9e3779b97f4a7c15U;
  for (T& value : values) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const float uniform = static_cast<float>(state >> 40) * 0x1.0p-24F;
    value = T(kind == Numbers::positive ? uniform : 2.0F * uniform - 1.0F);
  }
  return values;
}

// Adds terms in double, and their absolute values.
struct Exact {
  void add(double term) {
    sum += term;
    magnitude += std::abs(term);
    ++terms;
  }
  void scale(double factor) {
    sum *= factor;
    magnitude *= factor;
  }
  double bound() const { return 1e-6 * std::sqrt(std::log2(std::max(2.0, terms))) * magnitude; }

  double sum = 0.0;
  double magnitude = 0.0;
  double terms = 0.0;
};

inline void check(double computed, const Exact& exact, Numbers kind) {
  INFO("sum ", computed, ", exact ", exact.sum, ", of ", exact.terms, " terms");
  CHECK(std::abs(computed - exact.sum) <= exact.bound());
  if (kind == Numbers::ones) CHECK(computed == exact.sum);
}

template <typename T>
TensorView view(std::vector<T>& values, const Shape& shape) {
  return view_of(values.data(), whole(shape), whole(shape), sizeof(T));
}
template <typename T>
TensorView flat_view(std::vector<T>& values) {
  return view(values, {{1, 1, 1, 1, std::ssize(values)}});
}
// Views one sample as `samples` equal ones.
template <typename T>
TensorView repeated(std::vector<T>& sample, Shape shape, std::int64_t samples) {
  TensorView repeats = view(sample, shape);
  repeats.box[Dim::n] = {0, samples};
  repeats.strides[0] = 0;
  return repeats;
}

inline void run(const std::string& backend,
                const KernelSpec& spec,
                const std::vector<TensorView>& operands,
                const KernelConstants& constants = {}) {
  prepared(backend).make_kernel(spec, constants, {})->run(operands, {});
}

// Calls f(backend, numbers) for each backend of CPUs.
template <typename F>
void for_each_backend(F f) {
  for (const Candidate& candidate : candidates()) {
    if (candidate.backend == "cudnn" || candidate.precision != Precision::fp32) continue;
    for (const Numbers kind : all_numbers) {
      INFO(candidate.backend, ", numbers ", static_cast<int>(kind));
      f(candidate.backend, kind);
    }
  }
}

}  // namespace cnnplan::test
