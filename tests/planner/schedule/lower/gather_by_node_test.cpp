// Tests that gathers node by node send every byte between two nodes once, and only what is needed.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/schedule/schedule.hpp"
#include "tests/planner/base/problem_of.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

constexpr int nodes = 3;
constexpr int ranks_per_node = 4;
constexpr int ranks = nodes * ranks_per_node;
constexpr LayerIndex conv2(2);
constexpr LayerIndex fc(3);

// Returns a plan whose second convolution and fully connected layer need all of their inputs on all
// ranks. The inputs are split over samples, some of whose blocks are empty, and over channels.
Plan gathering_plan(GatherMethod method) {
  const Network network("gathering",
                        {{"data", {}, Input{.channels = 13, .size = {1, 7, 5}}},
                         {"conv1", {"data"}, Convolution{.filters = 13}},
                         {"conv2", {"conv1"}, Convolution{.filters = 26}},
                         {"fc", {"conv2"}, FullyConnected{.outputs = 3}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  Plan plan = uniform_plan(network, ranks - 1, Mesh({{Axis::n, ranks}}));
  plan.ranks_per_node = ranks_per_node;
  plan.layers[conv2].mesh = Mesh({{Axis::c, ranks}});
  plan.layers[fc].mesh = Mesh({{Axis::r, ranks}});
  plan.layers[conv2].gather = plan.layers[fc].gather = method;
  return plan;
}

// Counts what one node gets in the forward transfers of a layer.
struct NodeTraffic {
  std::int64_t from_others = 0;       // elements from other nodes
  std::int64_t most_from_others = 0;  // of one rank
  std::size_t most_messages = 0;      // of one rank in one transfer
};

NodeTraffic traffic_into(int node, const std::vector<Schedule>& schedules, LayerIndex layer) {
  NodeTraffic traffic;
  for (int rank = node * ranks_per_node; rank < (node + 1) * ranks_per_node; ++rank) {
    std::int64_t own = 0;
    for (const Operation& operation : schedules[rank].operations) {
      const auto* transfer = std::get_if<TransferOperation>(&operation.body);
      const bool counts = transfer != nullptr && operation.layer == layer &&
                          operation.label.direction == Direction::forward;
      if (!counts) continue;
      traffic.most_messages = std::max(traffic.most_messages, transfer->list.receives.size());
      for (const Piece& piece : transfer->list.receives) {
        if (piece.peer / ranks_per_node != node) own += volume(piece.box);
      }
    }
    traffic.from_others += own;
    traffic.most_from_others = std::max(traffic.most_from_others, own);
  }
  return traffic;
}

}  // namespace

TEST_CASE("gather by node: every element comes to a node once, spread over its ranks") {
  const auto direct = lower_all(gathering_plan(GatherMethod::direct));
  for (const GatherMethod method : {GatherMethod::by_node_n,
                                    GatherMethod::by_node_c,
                                    GatherMethod::by_node_h,
                                    GatherMethod::by_node_w}) {
    CAPTURE(to_text(method));
    const Plan plan = gathering_plan(method);
    const auto schedules = lower_all(plan);
    for (const LayerIndex layer : {conv2, fc}) {
      const LayerIndex source = plan.network.index_of(plan.network.layer(layer).inputs[0]).value();
      const Shape shape = plan.network.output_shape(source, plan.batch);
      const Distribution owned(shape, plan.layers[source].mesh);
      for (int node = 0; node < nodes; ++node) {
        std::int64_t elsewhere = volume(shape);
        for (int i = 0; i < ranks_per_node; ++i) {
          elsewhere -= volume(owned.box(node * ranks_per_node + i));
        }
        const NodeTraffic once = traffic_into(node, schedules, layer);
        CHECK(once.from_others == elsewhere);
        CHECK(traffic_into(node, direct, layer).from_others == ranks_per_node * elsewhere);
        // Parts of a short dim differ in size, and some parts are the node's own.
        CHECK(2 * once.most_from_others <= elsewhere);
      }
    }
  }
}

TEST_CASE("gather by node: cut as its owners cut it, an input comes in few messages") {
  const auto schedules = lower_all(gathering_plan(GatherMethod::by_node_n));
  CHECK(traffic_into(0, schedules, conv2).most_messages <= nodes + 1);
  const auto direct = lower_all(gathering_plan(GatherMethod::direct));
  CHECK(traffic_into(0, direct, conv2).most_messages == ranks - 1);
}

TEST_CASE("gather by node: refused where the ranks of a node need different blocks") {
  Plan plan = gathering_plan(GatherMethod::direct);
  constexpr LayerIndex conv1(1);
  plan.layers[conv1].mesh = Mesh({{Axis::h, 3}, {Axis::n, 4}});
  plan.layers[conv1].gather = GatherMethod::by_node_c;
  validate(plan, "plan.json");
  const InputProblem problem = problem_of([&] { lower(plan, 0); });
  CHECK(problem.pointer == "/layers/1/gather");
  CHECK(contains(problem.allowed, "\"conv1\""));
}

TEST_CASE("gather by node: refused where an earlier layer gathers the same blocks otherwise") {
  const Network network("two readers",
                        {{"data", {}, Input{.channels = 13, .size = {1, 7, 5}}},
                         {"conv1", {"data"}, Convolution{.filters = 13}},
                         {"left", {"conv1"}, Convolution{.filters = 26}},
                         {"right", {"conv1"}, Convolution{.filters = 26}},
                         {"sum", {"left", "right"}, Add{}},
                         {"fc", {"sum"}, FullyConnected{.outputs = 3}},
                         {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  constexpr LayerIndex left(2);
  constexpr LayerIndex right(3);
  Plan plan = uniform_plan(network, ranks, Mesh({{Axis::n, ranks}}));
  plan.ranks_per_node = ranks_per_node;
  plan.layers[left].mesh = plan.layers[right].mesh = Mesh({{Axis::c, ranks}});
  plan.layers[right].gather = GatherMethod::by_node_n;
  const InputProblem problem = problem_of([&] { lower(plan, 0); });
  CHECK(problem.pointer == "/layers/3/gather");
  CHECK(contains(problem.allowed, "\"direct\" for layer \"right\""));
  plan.layers[left].gather = GatherMethod::by_node_c;
  CHECK(contains(problem_of([&] { lower(plan, 0); }).allowed, "\"by_node_c\""));
  // The later layer shares what the earlier one gathers.
  plan.layers[right].gather = GatherMethod::by_node_c;
  lower(plan, 0);
  plan.layers[right].gather = GatherMethod::direct;
  lower(plan, 0);
}

TEST_CASE("validate: nodes that gather have equal sizes, and layers that do have one input") {
  Plan plan = gathering_plan(GatherMethod::by_node_n);
  validate(plan, "plan.json");
  for (const int size : {1, 5, ranks}) {
    plan.ranks_per_node = size;
    CHECK(problem_of([&] { validate(plan, "plan.json"); }).pointer == "/layers/2/gather");
  }
  plan = gathering_plan(GatherMethod::by_node_n);
  plan.layers[conv2].halo = HaloMethod::interior_strips;
  CHECK(problem_of([&] { validate(plan, "plan.json"); }).pointer == "/layers/2/gather");
  plan = gathering_plan(GatherMethod::by_node_n);
  plan.layers.front().gather = GatherMethod::by_node_n;
  CHECK(problem_of([&] { validate(plan, "plan.json"); }).pointer == "/layers/0/gather");
}

TEST_CASE("GatherMethod: the last letter names the dim that is cut") {
  for (const Dim dim : all_dims) {
    CHECK(cut_dim(by_node(dim)).value() == dim);
    CHECK(to_text(by_node(dim)).back() == to_char(static_cast<Axis>(dim)));
  }
  CHECK_FALSE(cut_dim(GatherMethod::direct).has_value());
}

}  // namespace cnnplan::test
