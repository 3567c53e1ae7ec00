// Checks which algorithm sums gradients of each size.
#include "planner/search/plans/allreduce_choice.hpp"

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

constexpr int ranks = 4;

std::vector<Segment> always(double seconds) {
  return {{.max_bytes = std::int64_t{1} << 40, .alpha_s = seconds}};
}

void set_ring_steps(Level& level, double seconds) {
  level.ring_segments = level.reduce_scatter_segments = level.allgather_segments = always(seconds);
}

// Both of its halves are measured, and of the ring the steps.
Platform with_library(double allreduce_s, double reduce_scatter_s, double allgather_s) {
  Platform platform = default_platform(ranks);
  platform.measured = true;
  const auto add = [&](CollectiveKind kind, double seconds) {
    platform.allreduce.push_back({.ranks = ranks,
                                  .segments = always(seconds),
                                  .algorithm = AllreduceAlgorithm::library,
                                  .kind = kind});
  };
  add(CollectiveKind::allreduce, allreduce_s);
  add(CollectiveKind::reduce_scatter, reduce_scatter_s);
  add(CollectiveKind::allgather, allgather_s);
  set_ring_steps(platform.levels[0], 1e-3);  // each half is three of them
  return platform;
}

AllreduceAlgorithm chosen(const Platform& platform, bool sharded_update) {
  const Network lenet = read_network("configs/networks/lenet.json");
  Plan plan = uniform_plan(lenet, 4, Mesh({{Axis::n, ranks}}));
  plan.sharded_update = sharded_update;
  choose_allreduce(plan, platform);
  return plan.gradient_allreduce;
}

}  // namespace

TEST_CASE("choose_allreduce: small sums by what is faster for their size") {
  Platform platform = default_platform(ranks);
  platform.measured = true;
  const auto add = [&](AllreduceAlgorithm algorithm, double alpha_s, double beta_s_per_byte) {
    platform.allreduce.push_back({.ranks = ranks,
                                  .segments = {{.max_bytes = std::int64_t{1} << 40,
                                                .alpha_s = alpha_s,
                                                .beta_s_per_byte = beta_s_per_byte}},
                                  .algorithm = algorithm});
  };
  // As fast as each other at 10,000 bytes.
  add(AllreduceAlgorithm::recursive_doubling, 1e-6, 2e-10);
  add(AllreduceAlgorithm::rabenseifner, 2e-6, 1e-10);
  set_ring_steps(platform.levels[0], 1.0);
  const Network vgg = read_network("configs/networks/vgg16.json");
  Plan plan = uniform_plan(vgg, 4, Mesh({{Axis::n, ranks}}));
  for (const std::int64_t bucket_bytes : {std::int64_t{1}, std::int64_t{1} << 62}) {
    plan.bucket_bytes = bucket_bytes;
    choose_allreduce(plan, platform);
    CHECK(plan.gradient_allreduce == AllreduceAlgorithm::rabenseifner);
  }
  REQUIRE(plan.small_gradient_allreduces.size() == 1);
  CHECK(plan.small_gradient_allreduces.front() ==
        SizedAllreduce{.max_bytes = 8192, .algorithm = AllreduceAlgorithm::recursive_doubling});
  CHECK(gradient_allreduce_of(plan, 8192) == AllreduceAlgorithm::recursive_doubling);
  CHECK(gradient_allreduce_of(plan, 8193) == AllreduceAlgorithm::rabenseifner);
  plan.sample_blocks = 4;
  choose_allreduce(plan, platform);
  CHECK(gradient_allreduce_of(plan, 256) == AllreduceAlgorithm::recursive_doubling);
  CHECK(gradient_allreduce_of(plan, 1 << 20) == AllreduceAlgorithm::rabenseifner);
}

TEST_CASE("choose_allreduce: of sharded updates, both halves count") {
  const AllreduceAlgorithm library = AllreduceAlgorithm::library;
  const AllreduceAlgorithm ring = AllreduceAlgorithm::ring;
  CHECK(chosen(with_library(1e-3, 2.5e-3, 8e-3), true) == ring);
  CHECK(chosen(with_library(1e-3, 8e-3, 2.5e-3), true) == ring);
  CHECK(chosen(with_library(9e-3, 2.5e-3, 3e-3), true) == library);
  CHECK(chosen(with_library(1e-3, 8e-3, 8e-3), false) == library);
  CHECK(chosen(with_library(9e-3, 1e-3, 1e-3), false) == ring);
}

}  // namespace cnnplan
