// Tests how checks raise the number of cycles by one, until running the layers in order costs no
// more.
#include "executor/training/raise_cycles.hpp"

#include <doctest/doctest.h>

#include "executor/training/gradient_check.hpp"
#include "planner/network/residual_chain.hpp"
#include "tests/executor/training/residual_plan.hpp"

namespace cnnplan::test {

TEST_CASE("with_one_more_cycle: raises cycles to one less than coarse steps, then runs in order") {
  const Plan plan = residual_plan(1, 1);
  Plan raised = plan;
  for (int cycles = 2; cycles < coarse_steps; ++cycles) {
    raised = with_one_more_cycle(raised);
    CHECK(most_cycles(raised) == cycles);
    Plan as_before = raised;
    as_before.multigrid[0].cycles = 1;
    CHECK(as_before == plan);
  }
  raised = with_one_more_cycle(raised);
  CHECK(raised.multigrid.empty());
  CHECK(most_cycles(raised) == 0);
}

TEST_CASE("raised_cycles: cycles that gradient checks raised are applied to another plan") {
  const Plan given = residual_plan(1, 1);
  CHECK(raised_cycles(given, given).empty());
  CHECK(with_raised_cycles(given, {}) == given);
  const Plan once = with_one_more_cycle(given);
  const std::vector<RaisedCycles> raised = raised_cycles(given, once);
  REQUIRE(raised.size() == 1);
  CHECK(raised[0].cycles == 2);
  CHECK(with_raised_cycles(given, raised) == once);
  const Plan more = residual_plan(1, 3);
  CHECK(with_raised_cycles(more, raised) == more);
  const Plan in_order = serial_plan(given);
  const std::vector<RaisedCycles> none = raised_cycles(given, in_order);
  REQUIRE(none.size() == 1);
  CHECK(none[0].cycles == 0);
  CHECK(with_raised_cycles(more, none).multigrid.empty());
  CHECK(with_raised_cycles(in_order, raised) == in_order);
}

TEST_CASE("with_one_more_cycle: a last coarse step of fewer layers counts") {
  Plan plan = residual_plan(1, 1);
  plan.multigrid[0].coarsening = 7;
  plan = with_one_more_cycle(plan);
  CHECK(most_cycles(plan) == 2);
  CHECK(with_one_more_cycle(plan).multigrid.empty());
}

TEST_CASE("with_one_more_cycle: each chain ends separately") {
  Plan plan = residual_plan(1, 2);
  const ResidualChain chain = residual_chains(plan.network).front();
  Multigrid first = plan.multigrid[0];
  Multigrid second = first;
  first.last = chain[3].sum;
  first.coarsening = 2;
  second.first = chain[4].weights;
  plan.multigrid = {first, second};
  second.coarsening = plan.multigrid[1].coarsening = 3;
  second.cycles = 3;
  CHECK(with_one_more_cycle(plan).multigrid == std::vector{second});
}

}  // namespace cnnplan::test
