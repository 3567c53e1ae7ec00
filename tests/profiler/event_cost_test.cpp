// Tests the time of events on fed numbers.
#include "profiler/event_cost.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

TEST_CASE("seconds_per_event: compares medians, and is never negative") {
  const std::vector<double> with{1.2, 9.0, 1.0};  // one pass was late
  const std::vector<double> without{1.0, 1.0, 1.1};
  CHECK(seconds_per_event(with, without, 100) == doctest::Approx(0.002));
  CHECK(seconds_per_event(without, with, 100) == 0.0);
}

TEST_CASE("subtract_event: leaves the time of the kernels, and a tenth of very short ones") {
  const KernelSpec spec;
  KernelSamples samples;
  samples.seconds[spec] = {5e-6, 3e-6};
  samples.occurrences_s[spec] = {2e-6, 1e-6};
  subtract_event(samples, 2e-6);
  CHECK(samples.seconds[spec][0] == doctest::Approx(3e-6));
  CHECK(samples.seconds[spec][1] == doctest::Approx(1e-6));
  CHECK(samples.occurrences_s[spec][0] == doctest::Approx(2e-7));
  CHECK(samples.occurrences_s[spec][1] == doctest::Approx(1e-7));
}

}  // namespace
}  // namespace cnnplan
