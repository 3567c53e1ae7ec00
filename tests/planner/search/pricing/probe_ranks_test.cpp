// Checks that the probed ranks include the slowest rank.
#include "planner/search/pricing/probe_ranks.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/predict/price.hpp"
#include "planner/search/candidates/candidates.hpp"
#include "planner/search/candidates/unit_splits.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

// Returns the seconds of the slowest of `ranks` without gradient reductions and waiting.
double slowest_s(const Plan& plan, const std::vector<int>& ranks, const PriceList& prices) {
  double slowest = 0.0;
  for (const Schedule& schedule : lower(plan, ranks)) {
    double sum = 0.0;
    for (const Operation& operation : schedule.operations) {
      if (operation.stream != Stream::reduce) sum += prices(schedule, operation).seconds;
    }
    slowest = std::max(slowest, sum);
  }
  return slowest;
}

std::vector<int> all_ranks(const Plan& plan) {
  std::vector<int> ranks;
  for (int rank = 0; rank < plan.ranks; ++rank) ranks.push_back(rank);
  return ranks;
}

}  // namespace

TEST_CASE("probe_ranks: the first, the middle and the last, each once") {
  CHECK(probe_ranks(1) == std::vector{0});
  CHECK(probe_ranks(2) == std::vector{0, 1});
  CHECK(probe_ranks(3) == std::vector{0, 1, 2});
  CHECK(probe_ranks(16) == std::vector{0, 8, 15});
}

TEST_CASE("busiest_rank: has neighbours on all sides where the mesh has any") {
  CHECK(busiest_rank(parse_mesh("h4w4"), 0) == 5);
  CHECK(busiest_rank(parse_mesh("n4h4"), 0) == 1);
  CHECK(busiest_rank(parse_mesh("h4n4"), 0) == 4);
  CHECK(busiest_rank(parse_mesh("d3h3w3"), 0) == 13);
  CHECK(busiest_rank(parse_mesh("n16"), 0) == 0);
  CHECK(busiest_rank(parse_mesh("h2r8"), 0) == 0);
  CHECK(busiest_rank(parse_mesh("n2c4"), 1) == 1);
  CHECK(busiest_rank(parse_mesh("c2h4"), 1) == 5);
}

TEST_CASE("probe_ranks: the busiest rank of every mesh is among them, each once") {
  const Mesh square = parse_mesh("h4w4");
  const Mesh mixed = parse_mesh("n4h4");
  CHECK(probe_ranks({&square}) == std::vector{0, 5, 8, 15});
  CHECK(probe_ranks({&square, &mixed}) == std::vector{0, 1, 5, 8, 15});
  const Mesh channels = parse_mesh("h4c4");
  CHECK(probe_ranks({&channels}) == std::vector{0, 4, 5, 8, 15});
  const Mesh two = parse_mesh("h8c2");
  CHECK(probe_ranks({&two}) == std::vector{0, 6, 8, 15});
}

TEST_CASE("probe_ranks: the second part of channels is probed only where it owns nothing") {
  const Mesh channels = parse_mesh("h4c4");
  CHECK(probe_ranks(Split{.mesh = channels}) == std::vector{0, 4, 8, 15});
  CHECK(probe_ranks({.mesh = channels, .channel_algorithm = ChannelAlgorithm::stationary_x}) ==
        std::vector{0, 4, 8, 15});
  CHECK(probe_ranks({.mesh = channels, .channel_algorithm = ChannelAlgorithm::stationary_w}) ==
        std::vector{0, 4, 5, 8, 15});
}

TEST_CASE("probe_ranks: hold the slowest rank of every uniform split") {
  const KernelCosts kernels;
  std::vector<const char*> names{"vgg16"};
  if (!is_slow_build) names.insert(names.end(), {"mesh-1k", "resnet50"});
  for (const char* name : names) {
    CAPTURE(name);
    const Network network = read_network("configs/networks/" + std::string(name) + ".json");
    for (int ranks : is_slow_build ? std::vector{6} : std::vector{6, 9, 16}) {
      const Platform platform = default_platform(ranks);
      const PriceList prices(platform, kernels);
      const auto check_meshes = [&](const std::array<Axis, 3>& axes, ChannelAlgorithm algorithm) {
        for (const Mesh& mesh : enumerate_meshes({{4, 64, 1, 64, 64}}, ranks, axes).meshes) {
          CAPTURE(to_text(mesh));
          const Split split{.mesh = mesh, .channel_algorithm = algorithm};
          const Plan plan = all_on(uniform_plan(network, 4, mesh), split);
          const double slowest = slowest_s(plan, all_ranks(plan), prices);
          CHECK(slowest_s(plan, probe_ranks({&mesh}), prices) >= 0.99 * slowest);
          CHECK(slowest_s(plan, probe_ranks(split), prices) >= 0.99 * slowest);
        }
      };
      check_meshes({Axis::n, Axis::h, Axis::w}, ChannelAlgorithm::stationary_y);
      check_meshes({Axis::n, Axis::c, Axis::h}, ChannelAlgorithm::stationary_y);
      check_meshes({Axis::n, Axis::c, Axis::h}, ChannelAlgorithm::stationary_x);
      check_meshes({Axis::n, Axis::c, Axis::h}, ChannelAlgorithm::stationary_w);
    }
  }
}

}  // namespace cnnplan::test
