// The link profiler on the ranks that are there: what it measures, not how fast it is.
#include "profiler/links_measure.hpp"

#include <doctest/doctest.h>

#include "executor/backend/cpu_device.hpp"

namespace cnnplan {
namespace {

LinkOptions few_sizes() {
  static CpuDevice device;
  return {.least_bytes = 8,
          .most_bytes = 1 << 16,
          .budget_s = 1e-3,
          .device = "a CPU",
          .device_memory = &device,
          .process_bytes = 123,
          .progress = {}};
}

void check_curves(const LinkMeasurements& measured, int ranks) {
  const std::size_t groups = ranks < 2 ? 0 : ranks == 2 ? 1 : 2;
  CHECK(measured.curves.size() == (ranks < 2 ? 0 : 3 + 8 * groups));  // 4 allreduces, 4 halves
  for (const LinkCurve& curve : measured.curves) {
    CHECK(curve.samples.size() == 14);
    const bool sums = curve.kind == LinkCurveKind::collective;
    CHECK(curve.wrong == std::vector<std::int64_t>(sums ? curve.samples.size() : 0, 0));
    for (const LinkSample& sample : curve.samples) {
      CHECK(sample.time.count >= 10);
      CHECK(sample.time.min_s > 0);
      CHECK(sample.time.min_s <= sample.time.median_s);
    }
  }
  CHECK(measured.local.launch_s > 0);
  CHECK(measured.memory_bytes > 0);
  CHECK(measured.process_bytes == 123);
}

void check_progress(const std::vector<LinkProgress>& seen) {
  REQUIRE(!seen.empty());
  CHECK(seen.front().done == 0);
  CHECK(seen.back().done == seen.back().total);
  for (std::size_t i = 1; i < seen.size(); ++i) CHECK(seen[i - 1].done < seen[i].done);
}

void check_platform(const Platform& platform, int ranks) {
  CHECK(platform.measured);
  CHECK(platform.levels.back().ranks_per_group == ranks);
  CHECK(platform.gamma_s_per_byte > 0);
  CHECK(platform.copy_s_per_byte > 0);
  CHECK(platform.overlap_efficiency >= 0);
  CHECK(platform.overlap_efficiency <= 1);
  CHECK(platform.levels.back().exchange_segments.empty() == (ranks == 1));
  CHECK(platform.levels.back().ring_segments.empty() == (ranks == 1));
  CHECK(platform.levels.back().reduce_scatter_segments.empty() == (ranks == 1));
  CHECK(platform.levels.back().allgather_segments.empty() == (ranks == 1));
}

}  // namespace

TEST_CASE("measure_links: every size ten times, progress to the end, a platform of all ranks") {
  const Communicator world = Communicator::world();
  std::vector<LinkProgress> seen;
  LinkOptions options = few_sizes();
  options.progress = [&](const LinkProgress& progress) { seen.push_back(progress); };
  const LinkMeasurements measured = measure_links(world, options);
  CHECK(seen.empty() == (world.rank() != 0));
  if (world.rank() != 0) return;
  check_curves(measured, world.size());
  check_progress(seen);
  check_platform(platform_of(measured), world.size());
}

// Without time, a curve still has its first size.
TEST_CASE("measure_links: sizes for which there is no time are left out on all ranks") {
  const Communicator world = Communicator::world();
  LinkOptions options = few_sizes();
  options.time_budget_s = 1e-6;
  const LinkMeasurements measured = measure_links(world, options);
  for (const LinkCurve& curve : measured.curves) {
    CHECK(curve.samples.size() == 1);
    CHECK(curve.samples.front().time.count == fewest_repetitions);
  }
  if (world.rank() == 0) CHECK(!platform_of(measured).levels.empty());
}

}  // namespace cnnplan
