// Independent chains of multiply-adds, more of them than a core needs to hide their latency.
#include "tests/executor/machine_peak/fma_peak.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "profiler/repetition_timer.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace cnnplan {
namespace {

// Two units of a latency of at most 5 need 10; with two operands they fit 16 registers. They begin
// with different values: equal ones would be computed once.
constexpr int chains = 12;
constexpr std::int64_t steps = 20'000;
constexpr float factor = 0.999F;
constexpr float addend = 0.001F;

// Multiply-adds of `steps` on `lanes` lanes of all chains, and a value that hangs on all of them.
struct Pass {
  double (*run)();
  int lanes;
};

double plain_pass() {
  float sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = static_cast<float>(i);
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (float& sum : sums) sum = sum * factor + addend;
  }
  double total = 0.0;
  for (const float sum : sums) total += sum;
  return total;
}

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double avx2_pass() {
  __m256 sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = _mm256_set1_ps(static_cast<float>(i));
  const __m256 by = _mm256_set1_ps(factor);
  const __m256 plus = _mm256_set1_ps(addend);
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(sum, by, plus);
  }
  double total = 0.0;
  for (const __m256& sum : sums) total += _mm256_cvtss_f32(sum);
  return total;
}

__attribute__((target("avx512f"))) double avx512_pass() {
  __m512 sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = _mm512_set1_ps(static_cast<float>(i));
  const __m512 by = _mm512_set1_ps(factor);
  const __m512 plus = _mm512_set1_ps(addend);
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(sum, by, plus);
  }
  double total = 0.0;
  for (const __m512& sum : sums) total += _mm512_cvtss_f32(sum);
  return total;
}
#endif

Pass widest_pass() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {avx512_pass, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {avx2_pass, 8};
#endif
  return {plain_pass, 1};
}

}  // namespace

double fma_peak(double budget_s) {
  const Pass pass = widest_pass();
  volatile double sink = 0.0;
  double least_s = std::numeric_limits<double>::infinity();
  const double end_s = now_s() + budget_s;
  for (double begin_s = now_s(); begin_s < end_s;) {
    sink = pass.run();
    const double passed_s = now_s();
    least_s = std::min(least_s, passed_s - begin_s);
    begin_s = passed_s;
  }
  static_cast<void>(sink);
  return 2.0 * chains * static_cast<double>(steps) * pass.lanes / least_s;
}

}  // namespace cnnplan
