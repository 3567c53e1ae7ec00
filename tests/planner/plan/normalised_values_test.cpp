// Tests the number of values that batch norms normalise, against boxes counted rank by rank.
#include "planner/plan/normalised_values.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/network/enumerators.hpp"
#include "planner/schedule/blocks/ownership.hpp"
#include "planner/tensor/distribution.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

constexpr LayerIndex norm_layer(1);

// Returns a plan for a batch norm of 6 channels on images of `height` x `width`.
Plan plan_of(const std::string& mesh,
             BatchNormStatistics statistics,
             std::int64_t batch,
             std::int64_t height,
             std::int64_t width) {
  const Network network("norm",
                        {{"data", {}, Input{.channels = 6, .size = {1, height, width}}},
                         {"norm", {"data"}, BatchNorm{}},
                         {"loss", {"norm"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, batch, parse_mesh(mesh));
  plan.layers[norm_layer].statistics = statistics;
  return plan;
}

// Adds up the blocks of the ranks that normalise together, for each rank that has a part.
std::int64_t counted(const Plan& plan) {
  const LayerPlan& own = plan.layers[norm_layer];
  const Distribution blocks(plan.network.output_shape(norm_layer, plan.batch), own.mesh);
  std::int64_t least = std::int64_t{1} << 40;
  for (int rank = 0; rank < plan.ranks; ++rank) {
    if (is_empty(blocks.box(rank))) continue;
    std::int64_t values = 0;
    const RankGroup group = statistics_group(own.mesh, own.statistics, rank);
    for (const int member : group.ranks()) {
      const Box box = blocks.box(member);
      if (!is_empty(box)) values += volume(box) / box[Dim::c].size();
    }
    least = std::min(least, values);
  }
  return least;
}

TEST_CASE("least_normalised_values: as counted rank by rank") {
  for (const char* mesh : {"n1", "n2", "n4", "h2", "n2w3", "n3h2w2", "c2n2", "n2r2", "c3", "h8"}) {
    for (const auto statistics :
         {BatchNormStatistics::local, BatchNormStatistics::spatial, BatchNormStatistics::global}) {
      for (const std::int64_t batch : {1, 2, 3, 5}) {
        for (const std::int64_t width : {1, 4}) {
          const Plan plan = plan_of(mesh, statistics, batch, 5, width);
          CAPTURE(mesh);
          CAPTURE(batch);
          CAPTURE(width);
          CAPTURE(to_text(statistics));
          CHECK(least_normalised_values(plan, norm_layer) == counted(plan));
        }
      }
    }
  }
}

TEST_CASE("require_trainable: one value is refused, with what helps") {
  const Plan local = plan_of("n2", BatchNormStatistics::spatial, 2, 1, 1);
  const InputProblem problem = problem_of([&] { require_trainable(local, "p.json"); });
  CHECK(problem.file == "p.json");
  CHECK(problem.pointer == "/layers/1");
  CHECK(contains(problem.value, "\"norm\" on n2 with statistics spatial"));
  CHECK(contains(problem.allowed, "--batch-norm global"));
  const Plan alone = plan_of("n1", BatchNormStatistics::global, 1, 1, 1);
  CHECK(
      contains(problem_of([&] { require_trainable(alone, "p.json"); }).allowed, "larger --batch"));
  CHECK_NOTHROW(require_trainable(plan_of("n2", BatchNormStatistics::global, 2, 1, 1), "p.json"));
  CHECK_NOTHROW(require_trainable(plan_of("n2", BatchNormStatistics::local, 4, 1, 1), "p.json"));
  CHECK_NOTHROW(require_trainable(plan_of("n2", BatchNormStatistics::local, 2, 1, 2), "p.json"));
}

TEST_CASE("two_values_note: names the batch norm, and what gives it more values") {
  const Plan apart = plan_of("n2", BatchNormStatistics::spatial, 4, 1, 1);
  CHECK(two_values_note(apart) ==
        "the batch norm \"norm\" on n2 with statistics spatial normalises only two values of each "
        "channel, so a training may not stay finite; it has more values with solve --batch-norm "
        "global");
  const Plan alone = plan_of("n1", BatchNormStatistics::global, 2, 1, 1);
  CHECK(contains(two_values_note(alone), "with a larger --batch"));
  CHECK(two_values_note(plan_of("n2", BatchNormStatistics::global, 4, 1, 1)).empty());
  CHECK(two_values_note(plan_of("n2", BatchNormStatistics::spatial, 6, 1, 1)).empty());
  CHECK(two_values_note(plan_of("n2", BatchNormStatistics::spatial, 2, 1, 1)).empty());  // refused
}

}  // namespace
}  // namespace cnnplan::test
