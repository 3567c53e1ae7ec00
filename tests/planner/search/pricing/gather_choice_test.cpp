// Checks that the methods chosen for readers of the same blocks all take place.
#include "planner/search/pricing/gather_choice.hpp"

#include <doctest/doctest.h>

#include "planner/schedule/schedule.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

constexpr int ranks = 8;
constexpr LayerIndex left(3);
constexpr LayerIndex right(4);

// Returns a plan for nodes of four ranks. The layers "left" and "right" need all of "conv1" on all
// ranks, which own some of its samples. A ReLU follows "left", so "right" runs first.
Plan plan_of_two_readers(const Layer& reader) {
  const Network network("two readers",
                        {{"data", {}, Input{.channels = 8, .size = {1, 32, 32}}},
                         {"conv0", {"data"}, Convolution{.filters = 64}},
                         {"conv1", {"conv0"}, Convolution{.filters = 64}},
                         {"left", {"conv1"}, Convolution{.filters = 64}},
                         reader,
                         {"relu", {"left"}, Relu{}},
                         {"sum", {"relu", "right"}, Add{}},
                         {"fc", {"sum"}, FullyConnected{.outputs = 3}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, ranks, Mesh({{Axis::n, ranks}}));
  plan.ranks_per_node = 4;
  plan.layers[left].mesh = plan.layers[LayerIndex(5)].mesh = Mesh({{Axis::c, ranks}});
  plan.layers[right].mesh = Mesh({{Axis::c, ranks}});
  return plan;
}

}  // namespace

TEST_CASE("with_gathers: a reader keeps direct if another one fetches its blocks so before") {
  const Platform lassen = read_platform("configs/platforms/lassen.json");
  // Two readers that choose take the same method.
  const Layer convolution{"right", {"conv1"}, Convolution{.filters = 64}};
  const Plan both = with_gathers(plan_of_two_readers(convolution), lassen);
  CHECK(both.layers[left].gather != GatherMethod::direct);
  CHECK(both.layers[right].gather == both.layers[left].gather);
  CHECK_NOTHROW(lower(both, 0));

  Plan blank = plan_of_two_readers(convolution);
  blank.layers[right].halo = HaloMethod::interior_strips;
  const Plan strips = with_gathers(blank, lassen);
  CHECK(strips.layers[left].gather == GatherMethod::direct);
  CHECK_NOTHROW(lower(strips, 0));

  blank = plan_of_two_readers({"right", {"conv0", "conv1"}, Add{}});
  blank.layers[right].mesh = Mesh({{Axis::r, ranks}});
  const Plan sum = with_gathers(blank, lassen);
  CHECK(sum.layers[left].gather == GatherMethod::direct);
  CHECK_NOTHROW(lower(sum, 0));
}

}  // namespace cnnplan::test
