// Tests of planner/search/sample_ranks.
#include "planner/search/sample_ranks.hpp"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "planner/predict/price.hpp"
#include "planner/search/candidates.hpp"
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

}  // namespace

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

TEST_CASE("sample_ranks: hold the slowest rank of every uniform split") {
  const KernelCosts kernels;
  for (const char* name : {"mesh-1k", "vgg16", "resnet50"}) {
    const Network network = read_network("configs/networks/" + std::string(name) + ".json");
    for (int ranks : is_slow_build ? std::vector{6} : std::vector{6, 9, 16}) {
      const Platform platform = default_platform(ranks);
      const PriceList prices(platform, kernels);
      const Shape input = network.output_shape(0, 4);
      for (const Mesh& mesh :
           candidate_meshes(input, ranks, std::array{Axis::n, Axis::h, Axis::w})) {
        CAPTURE(name);
        CAPTURE(to_text(mesh));
        const Plan plan = uniform_plan(network, 4, mesh);
        CHECK(slowest_s(plan, sample_ranks({&mesh}), prices) >=
              0.99 * slowest_s(plan, all_ranks(plan), prices));
      }
    }
  }
}

}  // namespace cnnplan::test
