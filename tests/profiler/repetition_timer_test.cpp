// How often things are repeated and what is made of their times, on a clock that only bodies move.
#include "profiler/repetition_timer.hpp"

#include <string>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

// Binary fractions: their sums are exact.
constexpr double tick_s = 1.0 / 1024;

// A clock, and bodies that take the time they say.
struct FedClock {
  double now = 0.0;
  int runs = 0;

  RepetitionOptions options(double budget_s) {
    return {.budget_s = budget_s, .clock_s = [this] { return now; }};
  }
  std::function<void()> takes(double time_s) {
    return [this, time_s] {
      now += time_s;
      ++runs;
    };
  }
};

constexpr int warm_up_runs = 3;

}  // namespace

TEST_CASE("time_repeatedly: as many repetitions as the budget pays for") {
  FedClock clock;
  const Statistics time =
      time_repeatedly(Communicator::world(), clock.options(64 * tick_s), clock.takes(tick_s));
  CHECK(time == Statistics{64, tick_s, tick_s, 0.0, tick_s, tick_s, tick_s});
  CHECK(clock.runs == warm_up_runs + 64);
}

TEST_CASE("time_repeatedly: never fewer nor more repetitions than allowed") {
  FedClock clock;
  const Communicator world = Communicator::world();
  CHECK(time_repeatedly(world, clock.options(tick_s), clock.takes(1.0)).count == 10);
  CHECK(time_repeatedly(world, clock.options(1000.0), clock.takes(tick_s)).count == 500);
}

TEST_CASE("time_repeatedly: short bodies run several times within one repetition") {
  FedClock clock;
  RepetitionOptions options = clock.options(64 * tick_s);
  options.sample_s = tick_s;
  const Statistics time = time_repeatedly(Communicator::world(), options, clock.takes(tick_s / 8));
  CHECK(time == Statistics{64, tick_s / 8, tick_s / 8, 0.0, tick_s / 8, tick_s / 8, tick_s / 8});
  CHECK(clock.runs == 3 + (3 + 64) * 8);
}

TEST_CASE("time_repeatedly: a body that takes no time is repeated all the same") {
  FedClock clock;
  CHECK(time_repeatedly(Communicator::world(), clock.options(1.0), clock.takes(0.0)).count == 500);
}

TEST_CASE("time_repeatedly: a slow first run does not cut the repetitions short") {
  FedClock clock;
  const auto body = [&clock] { clock.now += ++clock.runs == 1 ? 100.0 : tick_s; };
  const Statistics time = time_repeatedly(Communicator::world(), clock.options(64 * tick_s), body);
  CHECK(time.count == 64);
  CHECK(time.max_s == tick_s);
}

TEST_CASE("time_repeatedly: a repetition takes as long as its slowest rank, known everywhere") {
  FedClock clock;
  const Communicator world = Communicator::world();
  const double slowest_s = world.size() * tick_s;
  const Statistics time = time_repeatedly(
      world, clock.options(64 * slowest_s), clock.takes((world.rank() + 1) * tick_s));
  CHECK(time.count == 64);
  CHECK(time.min_s == slowest_s);
  CHECK(time.max_s == slowest_s);
}

TEST_CASE("time_interleaved: fewer repetitions where all bodies may not take longer") {
  FedClock clock;
  const Communicator world = Communicator::world();
  RepetitionOptions options = clock.options(64 * tick_s);
  const std::vector<TimedBody> bodies{{clock.takes(tick_s), {}}, {clock.takes(3 * tick_s), {}}};
  options.most_s = 80 * tick_s;
  CHECK(time_interleaved(world, options, bodies).front().count == 20);
  options.most_s = 20 * tick_s;
  CHECK(time_interleaved(world, options, bodies).front().count == 5);
  clock.runs = 0;
  options.most_s = tick_s;
  CHECK(time_interleaved(world, options, bodies).back().count == fewest_repetitions);
  CHECK(clock.runs == 2 * (1 + fewest_repetitions));
}

TEST_CASE("time_interleaved: preparation is not timed, bodies take turns") {
  FedClock clock;
  std::string turns;
  const auto body = [&](char name, double time_s) {
    return TimedBody{.run =
                         [&clock, &turns, name, time_s] {
                           clock.now += time_s;
                           turns += name;
                         },
                     .prepare = [&clock] { clock.now += 100.0; }};
  };
  const auto times = time_interleaved(Communicator::world(),
                                      clock.options(16 * tick_s),
                                      {body('a', tick_s), body('b', 2 * tick_s)});
  REQUIRE(times.size() == 2);
  CHECK(times[0].median_s == tick_s);
  CHECK(times[1].median_s == 2 * tick_s);
  CHECK(times[0].count == 16);
  CHECK(times[1].count == 16);
  std::string expected = "aaabbb";
  for (int round = 0; round < 16; ++round) expected += "ab";
  CHECK(turns == expected);
}

}  // namespace cnnplan
