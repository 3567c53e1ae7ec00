// Tests of planner/search/candidates/unit_splits.
#include "planner/search/candidates/unit_splits.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/random_values.hpp"
#include "tests/planner/schedule/sample_plans.hpp"
#include "tests/planner/search/candidates/covering_plans.hpp"

namespace cnnplan::test {
namespace {

Plan blank_plan(const char* network, int ranks, std::int64_t batch) {
  return uniform_plan(read_network("configs/networks/" + std::string(network) + ".json"),
                      batch,
                      Mesh({{Axis::r, ranks}}));
}

const Mesh& mesh_of(const Plan& plan, LayerIndex layer) {
  return plan.layers[layer].mesh;
}

bool takes(const Plan& plan, const SearchUnit& unit, const Split& split) {
  return plan.layers[unit.head()].split() == split &&
         std::all_of(unit.layers.begin(), unit.layers.end(), [&](LayerIndex layer) {
           return mesh_of(plan, layer) == split.mesh;
         });
}

// Returns the keys of all kernels that have work to do, except updates. If channels are split, the
// size of an update depends on all layers in its bucket.
std::set<std::string> kernels_of(const Plan& plan) {
  std::set<std::string> keys;
  for (const Schedule& schedule : lower_all(plan)) {
    for (const Operation& operation : schedule.operations) {
      const auto* kernel = std::get_if<KernelOperation>(&operation.body);
      if (kernel == nullptr || kernel->spec.kind == KernelKind::sgd) continue;
      if (!is_empty(whole(kernel->spec.out))) keys.insert(to_text(canonical(kernel->spec)));
    }
  }
  return keys;
}

std::vector<int> random_assignment(RandomValues& random, const SplitChoices& choices) {
  std::vector<int> assignment;
  for (const UnitSplits& unit : choices.units) {
    assignment.push_back(random.small(0, static_cast<int>(unit.splits.size()) - 1));
  }
  return assignment;
}

}  // namespace

TEST_CASE("split_choices: every unit lists meshes of all ranks, most sample-parallel first") {
  const Plan blank = blank_plan("resnet50", 4, 4);
  const SplitChoices choices = split_choices(blank);
  CHECK(choices.units.front().splits.front() == Split{.mesh = parse_mesh("n4")});
  for (const UnitSplits& unit : choices.units) {
    CHECK_FALSE(unit.splits.empty());
    for (const Split& split : unit.splits) CHECK(split.mesh.rank_count() == 4);
  }
}

TEST_CASE("split_choices: what would leave ranks idle is left out and counted") {
  const SplitChoices choices = split_choices(blank_plan("resnet50", 4, 1));
  const auto& fc = choices.units.back();
  CHECK(fc.splits.back() == Split{.mesh = parse_mesh("r4")});
  CHECK(choices.units.front().splits.front() == Split{.mesh = parse_mesh("h4")});
  CHECK(choices.pruned > 0);
  CHECK(split_choices(blank_plan("vgg16", 1, 1)).pruned == 0);
}

TEST_CASE("split_choices: every unit may be replicated on all ranks, once") {
  for (int ranks : {1, 2, 6}) {
    for (const UnitSplits& unit : split_choices(blank_plan("alexnet", ranks, 4)).units) {
      const Split replicated{.mesh = Mesh({{Axis::r, ranks}})};
      CHECK(std::count(unit.splits.begin(), unit.splits.end(), replicated) == 1);
    }
  }
}

TEST_CASE("split_choices: channels of what is not read or lost, with every algorithm allowed") {
  const Plan blank = blank_plan("mobilenet_v2", 4, 4);
  const SplitChoices choices = split_choices(blank);
  const auto algorithms = [](const UnitSplits& unit) {
    return std::count_if(unit.splits.begin(), unit.splits.end(), [](const Split& split) {
      return split.mesh == parse_mesh("n2c2");
    });
  };
  const auto is_grouped = [&](const UnitSplits& unit) {
    const auto* convolution =
        std::get_if<Convolution>(&blank.network.layer(unit.unit.head()).parameters);
    return convolution != nullptr && convolution->groups > 1;
  };
  CHECK(algorithms(choices.units.front()) == 0);
  CHECK(algorithms(choices.units.back()) == 0);
  for (std::size_t i = 1; i + 1 < choices.units.size(); ++i) {
    const UnitSplits& unit = choices.units[i];
    const bool mixes = mixes_channels(blank.network.layer(unit.unit.head()).parameters);
    CHECK(algorithms(unit) == (mixes && !is_grouped(unit) ? 2 : 1));
  }
  for (const UnitSplits& unit : split_choices(blank, {Axis::n, Axis::h}).units) {
    for (const Split& split : unit.splits) CHECK(split.mesh.size(Axis::c) == 1);
  }
}

TEST_CASE("split_choices: fully connected layers over several nodes have channels first, too") {
  Plan blank = blank_plan("alexnet", 8, 8);
  const auto channels_first = [](const Split& split) {
    const auto& axes = split.mesh.axes();
    return axes.size() == 2 && axes.front().axis == Axis::c && axes.back().axis == Axis::n;
  };
  for (const int ranks_per_node : {1, 2, 4, 8}) {
    CAPTURE(ranks_per_node);
    blank.ranks_per_node = ranks_per_node;
    const bool has_nodes = ranks_per_node > 1 && ranks_per_node < blank.ranks;
    for (const UnitSplits& unit : split_choices(blank).units) {
      const Layer& head = blank.network.layer(unit.unit.head());
      CAPTURE(head.name);
      const bool connects = std::holds_alternative<FullyConnected>(head.parameters);
      // The splits are c2n4 and c4n2, with every algorithm that can use so many channels.
      const auto count = std::count_if(unit.splits.begin(), unit.splits.end(), channels_first);
      CHECK(count == (has_nodes && connects ? 5 : 0));
    }
  }
}

TEST_CASE("split_choices: a norm over channels chooses a split, and its channels stay whole") {
  const auto units_with = [](const std::string& operation) {
    const Network network(
        "norms",
        {{.name = "x", .parameters = Input{.channels = 8, .size = {1, 8, 8}}},
         {.name = "conv", .inputs = {"x"}, .parameters = Convolution{.filters = 8}},
         {.name = "norm", .inputs = {"conv"}, .parameters = Pointwise{.operation = operation}},
         {.name = "loss", .inputs = {"norm"}, .parameters = SoftmaxCrossEntropy{}}});
    return split_choices(uniform_plan(network, 2, Mesh({{Axis::r, 2}}))).units;
  };
  CHECK(units_with("Sigmoid").size() == 3);  // it is split as the convolution before it
  const std::vector<UnitSplits> units = units_with("LayerNormalization");
  REQUIRE(units.size() == 4);
  const auto splits_channels = [](const Split& split) { return split.mesh.size(Axis::c) > 1; };
  const auto& of_convolution = units[1].splits;
  const auto& of_norm = units[2].splits;
  CHECK(std::any_of(of_convolution.begin(), of_convolution.end(), splits_channels));
  CHECK(std::none_of(of_norm.begin(), of_norm.end(), splits_channels));
  CHECK(units[2].may_take({.mesh = parse_mesh("h2")}));
}

TEST_CASE("plan_of: all layers of a unit take its mesh, nothing else changes") {
  const Plan blank = blank_plan("lenet", 2, 4);
  const SplitChoices choices = split_choices(blank);
  std::vector<int> assignment(choices.units.size(), 0);
  assignment[1] = 1;
  Plan plan = plan_of(blank, choices, assignment);
  for (std::size_t i = 0; i < choices.units.size(); ++i) {
    const int choice = assignment[i];
    CHECK(takes(plan, choices.units[i].unit, choices.units[i].splits[choice]));
  }
  for (LayerPlan& layer : plan.layers) layer.set(blank.layers[LayerIndex(0)].split());
  CHECK(plan == blank);
}

TEST_CASE("mostly_on: units that may not take the mesh take their first") {
  const Plan blank = blank_plan("resnet50", 4, 4);
  const SplitChoices choices = split_choices(blank);
  const Plan plan = mostly_on(blank, choices, {.mesh = parse_mesh("h4")});
  CHECK(mesh_of(plan, LayerIndex(0)) == parse_mesh("h4"));
  CHECK(mesh_of(plan, blank.network.index_of("res2a_branch2b").value()) == parse_mesh("h4"));
  CHECK(mesh_of(plan, blank.network.index_of("fc1000").value()) == parse_mesh("n4"));
  CHECK(mesh_of(plan, blank.network.loss_layer()) == parse_mesh("n4"));
}

TEST_CASE("mostly_on: a mesh that no unit lists is taken by all") {
  const Plan blank = blank_plan("lenet", 2, 4);
  const Plan plan = mostly_on(blank, split_choices(blank), {.mesh = parse_mesh("r2")});
  for (const LayerPlan& layer : plan.layers) CHECK(layer.mesh == parse_mesh("r2"));
}

TEST_CASE("mostly_on: a mesh is found whatever axes the other splits have, and with copies") {
  const Plan blank = blank_plan("resnet50", 4, 2);
  const LayerIndex fc = blank.network.index_of("fc1000").value();
  const Plan by_height = mostly_on(blank, parse_mesh("h4"));
  CHECK(mesh_of(by_height, LayerIndex(0)) == parse_mesh("h4"));
  CHECK(mesh_of(by_height, fc) == parse_mesh("n2r2"));  // which has the most parts by samples
  const Plan with_copies = mostly_on(blank, parse_mesh("n2r2"));
  for (const LayerPlan& layer : with_copies.layers) CHECK(layer.mesh == parse_mesh("n2r2"));
}

TEST_CASE("split_choices: over samples alone, all units list the same splits") {
  const std::vector<std::pair<int, int>> sizes{{4, 8}, {6, 8}, {8, 2}, {4, 1}, {1, 1}};
  for (const char* network : {"lenet", "mesh-1k", "resnet50", "cosmoflow"}) {
    for (const auto& [ranks, batch] : sizes) {
      const Plan blank = blank_plan(network, ranks, batch);
      for (const std::vector<Axis>& axes : {std::vector<Axis>{Axis::n}, std::vector<Axis>{}}) {
        const SplitChoices choices = split_choices(blank, axes);
        const Split& first = choices.units.front().splits.front();
        const Plan plan = entirely_on(blank, choices, first);
        for (const LayerPlan& layer : plan.layers) CHECK(layer.mesh == first.mesh);
      }
    }
  }
}

TEST_CASE("entirely_on: a unit that may not take the split is a fault of the program") {
  const Plan blank = blank_plan("resnet50", 4, 4);
  CHECK_THROWS_AS(entirely_on(blank, split_choices(blank), {.mesh = parse_mesh("h4")}),
                  std::logic_error);
}

TEST_CASE("all_splits: in plans mostly on each split, every unit takes each of its splits") {
  for (const char* network : {"lenet", "mesh-1k", "resnet50"}) {
    for (int ranks : {1, 2, 4, 6}) {
      const Plan blank = blank_plan(network, ranks, 4);
      const auto plans = covering_plans(blank);
      for (const UnitSplits& unit : split_choices(blank).units) {
        for (const Split& split : unit.splits) {
          const bool covered = std::any_of(plans.begin(), plans.end(), [&](const Plan& plan) {
            return takes(plan, unit.unit, split);
          });
          CHECK_MESSAGE(covered, to_text(split));
        }
      }
    }
  }
}

TEST_CASE("all_splits: plans mostly on each split have the kernels of any choice") {
  for (const NamedPlan& named : random_plans(12)) {
    CAPTURE(named.name);
    const Plan& sample = named.plan;
    const Plan blank = uniform_plan(sample.network, sample.batch, Mesh({{Axis::r, sample.ranks}}));
    std::set<std::string> covered;
    for (const Plan& plan : covering_plans(blank)) covered.merge(kernels_of(plan));
    const SplitChoices choices = split_choices(blank);
    RandomValues random(17);
    for (int i = 0; i < 5; ++i) {
      const Plan plan = plan_of(blank, choices, random_assignment(random, choices));
      const auto needed = kernels_of(plan);
      CHECK(std::includes(covered.begin(), covered.end(), needed.begin(), needed.end()));
    }
  }
}

}  // namespace cnnplan::test
