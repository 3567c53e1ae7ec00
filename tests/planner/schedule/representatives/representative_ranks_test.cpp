// Tests that a representative has the costs of the ranks that it stands for.
#include "planner/schedule/representatives/representative_ranks.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/predict/price.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/schedule/representatives/rank_classes.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

Platform platform_of(const std::string& name) {
  return read_platform("configs/platforms/" + name + ".json");
}

Plan lenet_on(const std::string& mesh, std::int64_t batch) {
  return uniform_plan(read_network("configs/networks/lenet.json"), batch, parse_mesh(mesh));
}

int representative_of(const Plan& plan, const Platform& platform, int rank) {
  return representative_rank(plan, plan.layers.front().mesh, platform, rank);
}

// Returns the seconds of every layer's operations, and the bytes that the layers keep.
std::vector<double> costs_of(const Plan& plan, int rank, const PriceList& prices) {
  const Schedule schedule = lower(plan, std::array{rank}, {.detail = Detail::priced}).front();
  std::vector<double> costs;
  for (const std::int64_t bytes : kept_bytes(schedule)) {
    costs.push_back(static_cast<double>(bytes));
  }
  for (const std::int64_t bytes : parameter_bytes(schedule)) {
    costs.push_back(static_cast<double>(bytes));
  }
  IndexedVector<LayerIndex, double> seconds(plan.layers.size(), 0.0);
  for (const Operation& operation : schedule.operations) {
    seconds[operation.layer] += prices(schedule, operation).seconds;
  }
  costs.insert(costs.end(), seconds.begin(), seconds.end());
  return costs;
}

// Checks that every rank costs as much as its representative.
// @returns how many ranks another rank represents
int check_costs(const Plan& plan, const PriceList& prices) {
  int others = 0;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    CAPTURE(rank);
    const int representative = representative_of(plan, prices.platform(), rank);
    CHECK(representative <= rank);
    CHECK(representative_of(plan, prices.platform(), representative) == representative);
    if (representative == rank) continue;
    ++others;
    const std::vector<double> costs = costs_of(plan, rank, prices);
    const std::vector<double> represented = costs_of(plan, representative, prices);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      CHECK(costs[i] == doctest::Approx(represented[i]));
    }
  }
  return others;
}

}  // namespace

TEST_CASE("representative_rank: has the same place in its node, and as many samples") {
  const Platform lassen = platform_of("lassen");
  CHECK(representative_of(lenet_on("n16", 16), lassen, 15) == 0);
  CHECK(representative_of(lenet_on("n16", 17), lassen, 15) == 15);
  CHECK(representative_of(lenet_on("h16", 16), lassen, 15) == 15);
  CHECK(representative_of(lenet_on("n8c2", 16), lassen, 9) == 1);
  CHECK(representative_of(lenet_on("n8c2", 16), lassen, 10) == 2);
  CHECK(representative_of(lenet_on("h4n4", 16), lassen, 7) == 7);
  CHECK(representative_of(lenet_on("n3h2", 6), lassen, 4) == 4);
}

TEST_CASE("representative_rank: no other rank, where updates are sharded or sums made by blocks") {
  const Platform lassen = platform_of("lassen");
  Plan sharded = lenet_on("n16", 16);
  sharded.sharded_update = true;
  Plan in_blocks = lenet_on("n16", 16);
  in_blocks.sample_blocks = 16;
  for (const Plan& plan : {sharded, in_blocks}) {
    CHECK(representative_of(plan, lassen, 15) == 15);
    CHECK(representative_distance(plan, lassen) == 16);
  }
}

TEST_CASE("representative_rank: has the same costs, layer by layer") {
  const KernelCosts kernels;
  int others = 0;
  for (const char* name : {"lassen", "tx-gaia", "dgx-h100"}) {
    const Platform platform = platform_of(name);
    const PriceList prices(platform, kernels);
    for (const char* mesh :
         {"n16", "n8h2", "h2n8", "n4c4", "c2n4h2", "n2r8", "r2n8", "n4h3", "h3n4", "n8w3"}) {
      for (const std::int64_t batch : {16, 19}) {
        CAPTURE(name);
        CAPTURE(mesh);
        CAPTURE(batch);
        others += check_costs(lenet_on(mesh, batch), prices);
      }
    }
  }
  CHECK(others > 100);
}

TEST_CASE("representative_ranks: ascending, each once") {
  const Platform lassen = platform_of("lassen");
  const Plan plan = lenet_on("n8c2", 16);
  const Mesh& mesh = plan.layers.front().mesh;
  CHECK(representative_ranks(plan, mesh, lassen, {9, 10, 1, 15, 2}) == std::vector{1, 2, 3});
}

TEST_CASE("representative_distance: ranks of one class have one representative") {
  int shared = 0;
  for (const char* name : {"lassen", "tx-gaia", "dgx-h100"}) {
    const Platform platform = platform_of(name);
    for (const char* mesh : {"n16", "n8h2", "h2n8", "n4c4", "n2r8", "n4h3", "n8", "n4h2"}) {
      CAPTURE(name);
      CAPTURE(mesh);
      const Plan plan = lenet_on(mesh, 16);
      const int distance = representative_distance(plan, platform);
      if (distance < plan.ranks) ++shared;
      const RankClasses classes = RankClasses::of(plan, platform);
      for (int rank = 0; rank < plan.ranks; ++rank) {
        const int lowest =
            classes.representatives()[static_cast<std::size_t>(classes.class_of(rank))];
        CHECK(lowest == rank % distance);
        CHECK(representative_of(plan, platform, rank) == representative_of(plan, platform, lowest));
      }
    }
  }
  CHECK(shared >= 6);
}

}  // namespace cnnplan::test
