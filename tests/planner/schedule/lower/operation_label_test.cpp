// Tests the labels that lowered operations carry: part, layer, direction, role and level.
#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "planner/schedule/schedule.hpp"
#include "tests/planner/json/samples.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

constexpr Direction forward = Direction::forward;
constexpr Direction backward = Direction::backward;

Convolution same_size(std::int64_t filters) {
  Convolution convolution{.filters = filters};
  for (const std::size_t dim : {std::size_t{1}, std::size_t{2}}) {
    convolution.window.dims[dim] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  }
  return convolution;
}

// Returns a network with a residual block, whose add scales its second input, and with a fused
// batch norm and ReLU.
Network block() {
  return Network("block",
                 {{"data", {}, Input{.channels = 2, .size = {1, 16, 8}}},
                  {"open", {"data"}, same_size(4)},
                  {"norm", {"open"}, BatchNorm{}},
                  {"relu", {"norm"}, Relu{}},
                  {"conv", {"relu"}, same_size(4)},
                  {"add", {"relu", "conv"}, Add{.scale = 0.5}},
                  {"fc", {"add"}, FullyConnected{.outputs = 3}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

Plan block_plan(const char* mesh) {
  Plan plan = uniform_plan(block(), 4, parse_mesh(mesh));
  plan.layers[LayerIndex(6)].mesh = parse_mesh("r2");
  plan.layers[LayerIndex(7)].mesh = parse_mesh("n2");
  return plan;
}

LayerPlan& layer_of(Plan& plan, const char* name) {
  return plan.layers[plan.network.index_of(name).value()];
}

// Returns the label of the operation with this id, on any rank.
std::optional<OperationLabel> label_in(const Plan& plan, const std::string& id) {
  for (const Schedule& schedule : lower_all(plan)) {
    for (const Operation& operation : schedule.operations) {
      if (operation.id == id) return operation.label;
    }
  }
  return std::nullopt;
}

struct Row {
  std::string id;
  OperationPart part;
  const char* layer = "";  // empty: none
  Direction direction = forward;
  OutputRole role = OutputRole::whole;
  std::optional<int> level{};
};

void check_labels(const Plan& plan, const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    CAPTURE(row.id);
    const std::optional<OperationLabel> label = label_in(plan, row.id);
    REQUIRE(label.has_value());
    CHECK(to_text(label->part) == to_text(row.part));
    CHECK(label->layer == plan.network.index_of(row.layer));
    CHECK(label->direction == row.direction);
    CHECK(label->role == row.role);
    CHECK(label->level == row.level);
  }
}

}  // namespace

TEST_CASE("Lowering: kernels, messages and buckets say what they are for") {
  check_labels(block_plan("h2"),
               {{"data/load", OperationPart::load, "data"},
                {"conv/forward/halo", OperationPart::halo, "conv"},
                {"conv/forward", OperationPart::forward, "conv"},
                {"norm/forward_statistics", OperationPart::statistics, "norm"},
                {"norm/forward_statistics/allreduce", OperationPart::statistics_allreduce, "norm"},
                {"fc/forward/shuffle", OperationPart::shuffle, "fc"},
                {"loss/forward", OperationPart::forward, "loss"},
                {"loss/allreduce", OperationPart::loss_allreduce, "loss"},
                {"loss/backward_data", OperationPart::backward_data, "loss", backward},
                {"loss/backward/shuffle", OperationPart::shuffle, "loss", backward},
                {"add/backward_scale", OperationPart::backward_data, "add", backward},
                {"conv/backward_data", OperationPart::backward_data, "conv", backward},
                {"conv/backward_filter", OperationPart::backward_filter, "conv", backward},
                {"conv/backward/halo", OperationPart::halo, "conv", backward},
                {"norm/backward_statistics", OperationPart::statistics, "norm", backward},
                {"norm/backward_statistics/allreduce",
                 OperationPart::statistics_allreduce,
                 "norm",
                 backward},
                {"reduce/1", OperationPart::gradient_reduction, "", backward},
                {"sgd/0", OperationPart::update, "", backward}});
}

TEST_CASE("Lowering: labels distinguish gathered channels, scattered sums and copies") {
  Plan plan = block_plan("c2");
  check_labels(
      plan,
      {{"conv/forward/allgather", OperationPart::channel_allgather, "conv"},
       {"conv/backward/reduce_scatter", OperationPart::channel_reduce_scatter, "conv", backward}});
  layer_of(plan, "conv").channel_algorithm = ChannelAlgorithm::stationary_x;
  check_labels(plan,
               {{"conv/forward/reduce_scatter", OperationPart::channel_reduce_scatter, "conv"},
                {"conv/backward/allgather", OperationPart::channel_allgather, "conv", backward}});
  const Network joined("joined",
                       {{"data", {}, Input{.channels = 2, .size = {1, 4, 4}}},
                        {"conv", {"data"}, same_size(4)},
                        {"join", {"conv", "conv"}, Concat{}},
                        {"fc", {"join"}, FullyConnected{.outputs = 3}},
                        {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
  check_labels(uniform_plan(joined, 2, parse_mesh("n2")),
               {{"join/forward/copy/conv", OperationPart::copy, "join"},
                {"join/backward/copy/conv", OperationPart::copy, "join", backward},
                {"conv/accumulate", OperationPart::accumulate, "conv", backward}});
}

TEST_CASE("Lowering: labels of shards, and of outputs that are computed again") {
  Plan plan = block_plan("h2");
  plan.sharded_update = true;
  layer_of(plan, "norm").recompute = true;
  check_labels(plan,
               {{"reduce/1", OperationPart::gradient_reduction, "", backward},
                {"reduce/1/gather", OperationPart::weight_allgather},
                {"norm/forward", OperationPart::forward, "norm"},
                {"norm/forward_again", OperationPart::forward, "norm", backward},
                {"conv/forward_again/halo", OperationPart::halo, "conv", backward}});
}

TEST_CASE("Lowering: labels of the interior and of strips") {
  Plan plan = block_plan("h2");
  plan.batch = 1;
  plan.layers[LayerIndex(7)].mesh = parse_mesh("r2");
  layer_of(plan, "conv").halo = HaloMethod::interior_strips;
  std::set<OutputRole> roles;
  for (const Schedule& schedule : lower_all(plan)) {
    for (const Operation& operation : schedule.operations) {
      const bool is_conv = operation.label.layer == plan.network.index_of("conv");
      if (is_conv && operation.label.part == OperationPart::forward) {
        roles.insert(operation.label.role);
      }
    }
  }
  CHECK(roles == std::set{OutputRole::interior, OutputRole::strip});
  check_labels(
      plan,
      {{"conv/forward/interior_0", OperationPart::forward, "conv", forward, OutputRole::interior},
       {"open/forward", OperationPart::forward, "open"}});
}

TEST_CASE(
    "Lowering: labels of multigrid have levels, and sample blocks the label of their kernel") {
  const Plan chain = sample_chain_plan();
  constexpr OutputRole whole = OutputRole::whole;
  check_labels(
      chain,
      {{"b1/forward/cycle_1/relax/level_0", OperationPart::forward, "b1", forward, whole, 0},
       {"b4/forward/cycle_1/solve/level_2", OperationPart::forward, "b4", forward, whole, 2},
       {"b1/forward/finish", OperationPart::forward, "b1", forward, whole, 0},
       {"b0/backward_filter", OperationPart::backward_filter, "b0", backward}});
  std::set<std::pair<OperationPart, int>> parts;
  for (const Schedule& schedule : lower_all(chain)) {
    for (const Operation& operation : schedule.operations) {
      if (operation.label.level) parts.emplace(operation.label.part, *operation.label.level);
    }
  }
  for (int level = 0; level < 3; ++level) {
    CAPTURE(level);
    for (const OperationPart part :
         {OperationPart::forward, OperationPart::backward_data, OperationPart::shuffle}) {
      CHECK(parts.contains({part, level}));
    }
  }
  Plan blocks = uniform_plan(read_network("configs/networks/lenet.json"), 8, parse_mesh("n2"));
  blocks.sample_blocks = 4;
  blocks.gradient_allreduce = blocks.statistics_allreduce = AllreduceAlgorithm::rabenseifner;
  check_labels(
      blocks,
      {{"conv1/forward/block_0", OperationPart::forward, "conv1"},
       {"conv1/backward_filter/block_1", OperationPart::backward_filter, "conv1", backward},
       {"conv1/backward_filter/sum_0_1/2", OperationPart::backward_filter, "conv1", backward}});
}

}  // namespace cnnplan::test
