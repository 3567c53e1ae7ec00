// Tests residual chains by multigrid that are split by layers. With enough cycles, they compute
// what the layers compute in order. With any number of cycles, several ranks compute what one rank
// computes.
#include <cmath>
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "planner/network/residual_chain.hpp"
#include "tests/executor/tested_backend.hpp"
#include "tests/executor/training/run_difference.hpp"
#include "tests/executor/training/training_run.hpp"
#include "tests/planner/network/random_chain.hpp"
#include "tests/planner/network/random_network.hpp"
#include "tests/slow_build.hpp"

namespace cnnplan::test {
namespace {

constexpr int cases = is_slow_build ? 15 : 40;

RunResult run_in_double(Plan plan, const Communicator& world) {
  plan.precision = Precision::fp64;
  return run_plan(plan, {.backend = tested_backend("reference")}, world);
}

// Runs the plan on rank 0 alone.
RunResult run_on_one_rank(const Plan& plan, const Communicator& self) {
  return run_in_double(on_one_rank(plan), self);
}

// Sets enough cycles to be exact: as many as coarse steps with F-relaxation, half as many with FCF.
Plan with_all_cycles(Plan plan) {
  for (Multigrid& chain : plan.multigrid) {
    chain.levels = 2;
    const auto blocks =
        static_cast<int>(part_of_chain(plan.network, chain.first, chain.last).size());
    const int steps = (blocks + chain.coarsening - 1) / chain.coarsening;
    chain.cycles = chain.relaxation == Relaxation::f ? steps : (steps + 1) / 2;
  }
  return plan;
}

// Runs the chains by multigrid on one rank, with the same settings.
Plan multigrid_on_one_rank(const Plan& plan) {
  Plan single = on_one_rank(plan);
  single.multigrid = plan.multigrid;
  return single;
}

void check_close(const RunResult& actual,
                 const RunResult& expected,
                 const Plan& plan,
                 const Communicator& world,
                 double tolerance = double_tolerance) {
  if (world.rank() > 0) return;
  const Difference difference = largest_difference(actual, expected);
  INFO("in " << difference.tensor << " of\n" << to_json(plan));
  CHECK(difference.size < tolerance);
}

}  // namespace

TEST_CASE("Training: chains split by layers compute what one rank computes") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    const Plan plan = random_staged_plan(seed, world.size());
    check_close(run_in_double(plan, world), run_on_one_rank(plan, self), plan, world);
  }
}

TEST_CASE(
    "Multigrid: equals the layers in order with as many cycles as coarse steps, FCF with half") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    const Plan plan = with_all_cycles(random_chain_plan(seed, world.size()));
    check_close(run_in_double(plan, world), run_on_one_rank(plan, self), plan, world);
  }
}

TEST_CASE("Multigrid: with any setting, the result does not depend on the number of ranks") {
  const Communicator world = Communicator::world();
  const Communicator self = Communicator::group(world, {world.rank()});
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    CAPTURE(seed);
    const Plan plan = random_chain_plan(seed, world.size());
    const RunResult expected = run_in_double(multigrid_on_one_rank(plan), self);
    check_close(run_in_double(plan, world), expected, plan, world);
  }
}

TEST_CASE("Multigrid: the fast backend computes what the reference computes") {
  const Communicator world = Communicator::world();
  constexpr double tolerance = 1e-3;  // coarsening multiplies the rounding of differences
  int close = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    const Plan plan = random_chain_plan(seed, world.size());
    const RunResult expected = run_in_double(plan, world);
    const RunResult actual = run_plan(plan, {.backend = tested_backend("onednn")}, world);
    if (largest_difference(actual, expected).size < tolerance) ++close;
  }
  // In the other cases, a ReLU is on the edge.
  if (world.rank() == 0) CHECK(close >= cases * 9 / 10);
}

}  // namespace cnnplan::test
