// Runs more independent chains of multiply-adds than a core needs to hide their latency.
#include "tests/executor/machine_peak/fma_peak.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "executor/backend/onednn/vectorize.hpp"
#include "profiler/repetition_timer.hpp"

namespace cnnplan {
namespace {

// Two units need 10 chains, since their latency is at most 5. With the two operands, 12 chains fit
// into 16 registers. They begin with different values, since compilers would remove equal chains.
// None begins with 1, which a step would not change.
constexpr int chains = 12;
constexpr std::int64_t steps = 20'000;
constexpr float factor = 0.999F;
constexpr float addend = 0.001F;

using FourFloats = float __attribute__((vector_size(16)));
using EightFloats = float __attribute__((vector_size(32)));
using SixteenFloats = float __attribute__((vector_size(64)));

// Runs `steps` multiply-adds in all lanes of all chains. The result depends on all of them.
template <typename Floats>
CNNPLAN_INLINE double multiply_and_add() {
  Floats sums[chains];
  for (int i = 0; i < chains; ++i) sums[i] = Floats{} + static_cast<float>(i + 2);
  for (std::int64_t step = 0; step < steps; ++step) {
#pragma GCC unroll 12
    for (Floats& sum : sums) sum = sum * factor + addend;
  }
  double total = 0.0;
  for (const Floats& sum : sums) total += sum[0];
  return total;
}

struct Pass {
  double (*run)();
  int lanes;
};

#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) double avx2_pass() {
  return multiply_and_add<EightFloats>();
}
__attribute__((target("avx512f"))) double avx512_pass() {
  return multiply_and_add<SixteenFloats>();
}
#endif

Pass widest_pass() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return {avx512_pass, 16};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return {avx2_pass, 8};
#endif
  return {[] { return multiply_and_add<FourFloats>(); }, 4};
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
