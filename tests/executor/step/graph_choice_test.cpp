// Tests when steps use graphs of a device, by given times of graphs and of single kernels.
#include "executor/step/graph_choice.hpp"

#include <vector>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

// Returns whether each of `steps` steps uses graphs, if graphs take `graph_s` and single kernels
// `single_s`.
std::vector<bool> choices(Graphs graphs, double graph_s, double single_s, int steps) {
  GraphChoice choice(graphs);
  std::vector<bool> chosen;
  for (int step = 0; step < steps; ++step) {
    chosen.push_back(choice.next());
    const double capture_s = step == 0 ? 100.0 : 0.0;
    choice.record(capture_s + (chosen.back() ? graph_s : single_s));
  }
  return chosen;
}

TEST_CASE("GraphChoice: graphs and kernels are tried in turns, then the faster are used") {
  const std::vector<bool> trials{true, false, true, false, true, false};
  std::vector<bool> graphs = trials;
  graphs.insert(graphs.end(), 4, true);
  std::vector<bool> single = trials;
  single.insert(single.end(), 4, false);
  CHECK(choices(Graphs::automatic, 1.0, 2.0, 10) == graphs);
  CHECK(choices(Graphs::automatic, 2.0, 1.0, 10) == single);
}

TEST_CASE("GraphChoice: refused graphs are not tried again") {
  GraphChoice choice(Graphs::automatic);
  REQUIRE(choice.next());
  choice.refuse();
  for (int step = 0; step < 2 * GraphChoice::settling_steps; ++step) {
    CHECK_FALSE(choice.next());
    choice.record(1.0);
  }
}

TEST_CASE("GraphChoice: a choice of the user needs no trials") {
  CHECK(choices(Graphs::on, 2.0, 1.0, 8) == std::vector<bool>(8, true));
  CHECK(choices(Graphs::off, 1.0, 2.0, 8) == std::vector<bool>(8, false));
}

}  // namespace
}  // namespace cnnplan
