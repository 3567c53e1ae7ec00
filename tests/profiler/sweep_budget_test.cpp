// How the time of a measurement is divided, on a clock that the test moves.
#include "profiler/sweep_budget.hpp"

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

struct MovedClock {
  double now = 100.0;
  SweepBudget budget(double seconds, int bodies) {
    return {seconds, bodies, [this] { return now; }};
  }
};

}  // namespace

TEST_CASE("SweepBudget: sweeps share the time by their bodies") {
  const Communicator world = Communicator::world();
  MovedClock clock;
  SweepBudget budget = clock.budget(60.0, 12);
  budget.begin_sweep(3);
  CHECK(budget.most_s(world) == 60.0 * 3 / 12 / 4);
  clock.now += 6.0;
  CHECK(budget.most_s(world) == 9.0 / 4);
}

TEST_CASE("SweepBudget: a later sweep gets what earlier sweeps did not need") {
  const Communicator world = Communicator::world();
  MovedClock clock;
  SweepBudget budget = clock.budget(60.0, 12);
  budget.begin_sweep(3);
  clock.now += 4.0;
  budget.begin_sweep(9);
  CHECK(budget.most_s(world) == 56.0 / 4);
}

TEST_CASE("SweepBudget: a size needs time for a check, a first run and three repetitions") {
  const Communicator world = Communicator::world();
  MovedClock clock;
  SweepBudget budget = clock.budget(10.0, 1);
  budget.begin_sweep(1);
  CHECK(budget.has_time_for(2.0, world));
  CHECK(!budget.has_time_for(2.1, world));
  clock.now += 20.0;
  CHECK(!budget.has_time_for(1e-9, world));
  CHECK(budget.most_s(world) == 0.0);
}

// Ranks that waited during earlier sweeps know nothing of them.
TEST_CASE("SweepBudget: rank 0 decides") {
  const Communicator world = Communicator::world();
  MovedClock clock;
  SweepBudget budget = clock.budget(world.rank() == 0 ? 8.0 : 1000.0, 1 + world.rank());
  budget.begin_sweep(1);
  CHECK(budget.most_s(world) == 2.0);
  CHECK(!budget.has_time_for(2.0, world));
}

}  // namespace cnnplan
