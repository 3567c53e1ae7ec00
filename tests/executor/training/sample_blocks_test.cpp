// Tests plans with sample_blocks: any number of ranks computes the bits of one rank.

#include <algorithm>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "tests/executor/environment.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/run_difference.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_network.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

Plan plan_of(std::uint64_t seed, int ranks, Precision precision) {
  Plan plan = random_block_plan(seed, ranks);
  plan.precision = precision;
  return plan;
}

// Names the first tensor that differs. Only rank 0 has the output.
std::string first_difference(const RunResult& several, const RunResult& one, bool has_output) {
  if (several.loss != one.loss) return "loss";
  if (has_output && several.output != one.output) return "output";
  for (const auto& [ours, theirs] : {std::pair{&several.gradients, &one.gradients},
                                     std::pair{&several.momentum, &one.momentum},
                                     std::pair{&several.weights, &one.weights}}) {
    for (const auto& [name, values] : *ours) {
      if (values != theirs->at(name)) return name;
    }
  }
  return {};
}

class OneRank {
 public:
  explicit OneRank(const Communicator& world)
      : world_(world), self_(Communicator::group(world, {world.rank()})) {}

  // Is collective.
  void compare(std::uint64_t seed, Precision precision, const std::string& backend) {
    const RunSetup setup{.backend = backend, .seed = seed, .steps = 3};
    const Plan plan =
        with_implementations(plan_of(seed, world_.size(), precision), backend, world_);
    validate(plan, "plan");
    const RunResult several = run_plan(plan, setup, world_);
    const RunResult one = run_plan(on_one_rank(plan), setup, self_);
    const std::string different = first_difference(several, one, world_.rank() == 0);
    CHECK_MESSAGE(different.empty(), different << " differs\n" << to_json(plan));
  }

 private:
  const Communicator& world_;
  Communicator self_;
};

int case_count() {
  return environment_number("CNNPLAN_CASES", is_slow_build ? 8 : 40);
}

TEST_CASE("Sample blocks: any number of ranks computes the bits of one rank") {
  const Communicator world = Communicator::world();
  const std::string backend = tested_backend("onednn");
  OneRank one_rank(world);
  for (int i = 0; i < case_count(); ++i) {
    const std::uint64_t seed = 100U + static_cast<unsigned>(i);
    const bool is_narrow = i % 4 == 3 && kept_backend(backend).supports(Precision::bf16);
    one_rank.compare(seed, is_narrow ? Precision::bf16 : Precision::fp32, backend);
    if (i % 4 == 0) one_rank.compare(seed, Precision::fp64, tested_backend("reference"));
  }
}

TEST_CASE("Sample blocks: sums equal those of a plan without blocks, except for rounding") {
  const Communicator world = Communicator::world();
  const std::string backend = tested_backend("reference");
  bool is_other_order = false;
  bool is_cut = false;
  for (const std::uint64_t seed : {7U, 8U, 9U, 10U}) {
    Plan plan = plan_of(seed, world.size(), Precision::fp64);
    is_cut = plan.sample_blocks > plan.ranks;
    const RunSetup setup{.backend = backend, .seed = seed};
    const RunResult in_blocks = run_plan(plan, setup, world);
    plan.sample_blocks = 1;
    const RunResult whole = run_plan(plan, setup, world);
    if (world.rank() > 0) continue;
    const Difference difference = largest_difference(in_blocks, whole);
    CHECK_MESSAGE(difference.size <= double_tolerance,
                  difference.tensor << " is off by " << difference.size << '\n'
                                    << to_json(plan));
    is_other_order = is_other_order || in_blocks != whole;
  }
  CHECK(is_other_order == (world.rank() == 0 && is_cut));
}

}  // namespace
}  // namespace cnnplan::test
