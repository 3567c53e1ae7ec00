// Tests of planner/search/pricing/probe_ranks.
#include "planner/search/pricing/probe_ranks.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
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

// Seconds of the slowest of `ranks`, gradient reductions and waiting apart.
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

// Seconds of every layer's operations, and what it keeps.
std::vector<double> costs_of(const Plan& plan, int rank, const PriceList& prices) {
  const Schedule schedule = lower_for_prices(plan, std::array{rank}).front();
  std::vector<double> costs;
  for (const std::int64_t bytes : kept_bytes(schedule)) {
    costs.push_back(static_cast<double>(bytes));
  }
  for (const std::int64_t bytes : parameter_bytes(schedule)) {
    costs.push_back(static_cast<double>(bytes));
  }
  const std::size_t first = costs.size();
  costs.resize(first + static_cast<std::size_t>(plan.network.layer_count()), 0.0);
  for (const Operation& operation : schedule.operations) {
    costs[first + static_cast<std::size_t>(operation.layer)] += prices(schedule, operation).seconds;
  }
  return costs;
}

// How many ranks are like an earlier one, all of whose costs are the same.
int check_alike(const Plan& plan, const Mesh& mesh, const PriceList& prices) {
  int others = 0;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    CAPTURE(rank);
    const int alike = first_alike(prices.platform(), mesh, plan.batch, rank);
    CHECK(alike <= rank);
    CHECK(first_alike(prices.platform(), mesh, plan.batch, alike) == alike);
    if (alike == rank) continue;
    ++others;
    const std::vector<double> costs = costs_of(plan, rank, prices);
    const std::vector<double> same = costs_of(plan, alike, prices);
    for (std::size_t i = 0; i < costs.size(); ++i) CHECK(costs[i] == doctest::Approx(same[i]));
  }
  return others;
}

}  // namespace

TEST_CASE("first_alike: in the same place of its node, with as many samples") {
  const Platform lassen = read_platform("configs/platforms/lassen.json");
  CHECK(first_alike(lassen, parse_mesh("n16"), 16, 15) == 0);
  CHECK(first_alike(lassen, parse_mesh("n16"), 17, 15) == 15);
  CHECK(first_alike(lassen, parse_mesh("h16"), 16, 15) == 15);
  CHECK(first_alike(lassen, parse_mesh("n8c2"), 16, 9) == 1);
  CHECK(first_alike(lassen, parse_mesh("n8c2"), 16, 10) == 2);
  CHECK(first_alike(lassen, parse_mesh("h4n4"), 16, 7) == 7);
  CHECK(first_alike(lassen, parse_mesh("n3h2"), 6, 4) == 4);
}

TEST_CASE("first_alike: has the same costs, layer by layer") {
  const KernelCosts kernels;
  const Network network = read_network("configs/networks/lenet.json");
  int others = 0;
  for (const char* file : {"lassen", "tx-gaia", "dgx-h100"}) {
    const Platform platform = read_platform("configs/platforms/" + std::string(file) + ".json");
    const PriceList prices(platform, kernels);
    for (const char* text :
         {"n16", "n8h2", "h2n8", "n4c4", "c2n4h2", "n2r8", "r2n8", "n4h3", "h3n4", "n8w3"}) {
      for (const std::int64_t batch : {16, 19}) {
        const Mesh mesh = parse_mesh(text);
        CAPTURE(file);
        CAPTURE(text);
        CAPTURE(batch);
        others += check_alike(uniform_plan(network, batch, mesh), mesh, prices);
      }
    }
  }
  CHECK(others > 100);
}

TEST_CASE("sample_ranks: the first, the middle and the last, each once") {
  CHECK(sample_ranks(1) == std::vector{0});
  CHECK(sample_ranks(2) == std::vector{0, 1});
  CHECK(sample_ranks(3) == std::vector{0, 1, 2});
  CHECK(sample_ranks(16) == std::vector{0, 8, 15});
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

TEST_CASE("sample_ranks: those of all meshes, each once") {
  const Mesh square = parse_mesh("h4w4");
  const Mesh mixed = parse_mesh("n4h4");
  CHECK(sample_ranks({&square}) == std::vector{0, 5, 8, 15});
  CHECK(sample_ranks({&square, &mixed}) == std::vector{0, 1, 5, 8, 15});
  const Mesh channels = parse_mesh("h4c4");
  CHECK(sample_ranks({&channels}) == std::vector{0, 4, 5, 8, 15});
  const Mesh two = parse_mesh("h8c2");
  CHECK(sample_ranks({&two}) == std::vector{0, 6, 8, 15});
}

TEST_CASE("sample_ranks: of a split, the second part of channels only where it owns nothing") {
  const Mesh channels = parse_mesh("h4c4");
  CHECK(sample_ranks(Split{.mesh = channels}) == std::vector{0, 4, 8, 15});
  CHECK(sample_ranks({.mesh = channels, .channel_algorithm = ChannelAlgorithm::stationary_x}) ==
        std::vector{0, 4, 8, 15});
  CHECK(sample_ranks({.mesh = channels, .channel_algorithm = ChannelAlgorithm::stationary_w}) ==
        std::vector{0, 4, 5, 8, 15});
}

TEST_CASE("sample_ranks: hold the slowest rank of every uniform split") {
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
        for (const Mesh& mesh : candidate_meshes({{4, 64, 1, 64, 64}}, ranks, axes)) {
          CAPTURE(to_text(mesh));
          const Split split{.mesh = mesh, .channel_algorithm = algorithm};
          const Plan plan = all_on(uniform_plan(network, 4, mesh), split);
          const double slowest = slowest_s(plan, all_ranks(plan), prices);
          CHECK(slowest_s(plan, sample_ranks({&mesh}), prices) >= 0.99 * slowest);
          CHECK(slowest_s(plan, sample_ranks(split), prices) >= 0.99 * slowest);
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
