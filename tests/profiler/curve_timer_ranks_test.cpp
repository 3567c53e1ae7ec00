// Tests that all ranks time the same curves where time runs out.
#include <array>
#include <vector>

#include <doctest/doctest.h>

#include "profiler/curve_timer.hpp"

namespace cnnplan {
namespace {

// The library is slow. The ring does nothing, so it runs hundreds of times within a sample.
constexpr std::array algorithms{AllreduceAlgorithm::library, AllreduceAlgorithm::ring};
constexpr double slow_s = 2e-3;

void wait_s(double seconds) {
  const double end_s = now_s() + seconds;
  while (now_s() < end_s) {
  }
}

// Returns the samples of each curve for a budget whose clock stands still.
std::vector<int> samples_of_sweep(const Communicator& world, double budget_s) {
  const LinkOptions options{.least_bytes = 8, .most_bytes = 64, .budget_s = 1e-4};
  ProgressCounter progress(options, world.rank() == 0, 4);
  // Ranks other than the first one may know nothing of the time.
  const double own_s = world.rank() == 0 ? budget_s : 1e9;
  CurveTimer timer(options, SweepBudget(own_s, 1, [] { return 0.0; }), progress);
  std::vector<LinkCurve> curves;
  for (AllreduceAlgorithm algorithm : algorithms) {
    curves.push_back({.kind = LinkCurveKind::collective, .algorithm = algorithm, .samples = {}});
  }
  timer.time(world, curves, [](const LinkCurve& curve, std::int64_t /*bytes*/) -> TimedBody {
    const bool is_slow = curve.algorithm == AllreduceAlgorithm::library;
    const auto run = [is_slow] {
      if (is_slow) wait_s(slow_s);
    };
    return {.run = run, .prepare = {}};
  });
  std::vector<int> samples;
  for (const LinkCurve& curve : curves) samples.push_back(static_cast<int>(curve.samples.size()));
  return samples;
}

}  // namespace

TEST_CASE("CurveTimer: curves that are far from the fastest end sooner, on all ranks alike") {
  const Communicator world = Communicator::world();
  CHECK(samples_of_sweep(world, 1e9) == std::vector<int>{4, 4});
  CHECK(samples_of_sweep(world, 8.0 * slow_s) == std::vector<int>{1, 4});
  CHECK(samples_of_sweep(world, 0.0) == std::vector<int>{1, 1});
}

}  // namespace cnnplan
