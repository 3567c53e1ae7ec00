// Tests that one unit of each class is lowered for all of them, and does their work.
#include "planner/schedule/representatives/unit_classes.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "planner/network/network_json.hpp"
#include "planner/schedule/lower/lower_representatives.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

std::string text_of(const KernelOperation& kernel) {
  return to_text(canonical(kernel.spec));
}

std::string text_of(const CollectiveOperation& collective) {
  std::string text = "allreduce of " + std::to_string(collective.elements) + " on";
  for (int rank : collective.group.ranks()) text += ' ' + std::to_string(rank);
  return text;
}

// Returns no text for transfers between units, which are priced for pairs of splits.
std::string text_of(const TransferOperation& transfer) {
  return transfer.of_sums ? "transfer of " + std::to_string(transfer.list.sends.size()) : "";
}

std::string text_of(const LoadOperation&) {
  return "load";
}

// Holds the operations of a rank for a layer, in any order, and the bytes that the rank keeps.
struct Work {
  std::multiset<std::string> operations;
  std::int64_t kept_bytes = 0;
  std::int64_t parameter_bytes = 0;
  bool operator==(const Work&) const = default;
};

IndexedVector<LayerIndex, Work> work_of(const Schedule& schedule) {
  const IndexedVector<LayerIndex, std::int64_t> kept = kept_bytes(schedule);
  const IndexedVector<LayerIndex, std::int64_t> parameters = parameter_bytes(schedule);
  IndexedVector<LayerIndex, Work> work(kept.size());
  for (const Operation& operation : schedule.operations) {
    const std::string text =
        std::visit([](const auto& body) { return text_of(body); }, operation.body);
    if (!text.empty()) work[operation.layer].operations.insert(text);
  }
  for (const LayerIndex i : work.indices()) {
    work[i].kept_bytes = kept[i];
    work[i].parameter_bytes = parameters[i];
  }
  return work;
}

// @returns how many units another unit represents
std::size_t check_representatives(Plan plan) {
  plan.bucket_bytes = 1;
  const FusedUnits fused(plan);
  const UnitClasses classes(fused);
  const IndexedVector<UnitIndex, bool> all(fused.units().size(), true);
  std::size_t others = 0;
  for (int rank : {0, plan.ranks - 1}) {
    const IndexedVector<LayerIndex, Work> whole =
        work_of(lower(plan, std::array{rank}, {.detail = Detail::priced}).front());
    const IndexedVector<LayerIndex, Work> represented =
        work_of(lower_representatives(fused, classes, all, std::array{rank}).front());
    for (const UnitIndex i : fused.units().indices()) {
      const Unit& unit = fused.units()[i];
      const Unit& representative = fused.units()[classes.representatives()[i]];
      CAPTURE(plan.network.layer(unit.head).name);
      CAPTURE(plan.network.layer(representative.head).name);
      CHECK(whole[unit.head] == represented[representative.head]);
      CHECK(whole[unit.last] == represented[representative.last]);
      if (classes.representatives()[i] != i) ++others;
    }
  }
  return others;
}

// Checks that the representatives of wanted units do the same work whatever else is lowered.
void check_wanted(Plan plan, std::mt19937& random) {
  plan.bucket_bytes = 1;
  const FusedUnits fused(plan);
  const UnitClasses classes(fused);
  const IndexedVector<UnitIndex, Unit>& units = fused.units();
  IndexedVector<UnitIndex, bool> wanted;
  for (const Unit& unit : units) {
    const LayerParameters& parameters = plan.network.layer(unit.head).parameters;
    const bool is_end = std::holds_alternative<Input>(parameters) || is_loss(parameters);
    wanted.push_back(is_end || random() % 4 == 0);
  }
  const std::array ranks{plan.ranks - 1};
  const IndexedVector<UnitIndex, bool> all(units.size(), true);
  const IndexedVector<LayerIndex, Work> whole =
      work_of(lower_representatives(fused, classes, all, ranks).front());
  const IndexedVector<LayerIndex, Work> part =
      work_of(lower_representatives(fused, classes, wanted, ranks).front());
  for (const UnitIndex i : units.indices()) {
    if (!wanted[i]) continue;
    const Unit& representative = units[classes.representatives()[i]];
    CAPTURE(plan.network.layer(representative.head).name);
    for (LayerIndex layer : {representative.head, representative.last}) {
      CHECK(part[layer] == whole[layer]);
    }
  }
}

// Returns a network with two heads that do the same work, each with a loss.
Network twins() {
  std::vector<Layer> layers{{"data", {}, Input{.channels = 3, .size = {1, 8, 8}}},
                            {"conv", {"data"}, Convolution{.filters = 4}}};
  for (const std::string name : {"a", "b"}) {
    layers.push_back({name + "_norm", {"conv"}, BatchNorm{}});
    layers.push_back({name + "_pool", {name + "_norm"}, GlobalPooling{}});
    layers.push_back({name + "_fc", {name + "_pool"}, FullyConnected{.outputs = 5}});
    layers.push_back({name + "_loss", {name + "_fc"}, SoftmaxCrossEntropy{}});
  }
  return Network("twins", std::move(layers));
}

std::size_t class_count(const Plan& plan) {
  const UnitClasses classes((FusedUnits(plan)));
  return std::set<UnitIndex>(classes.representatives().begin(), classes.representatives().end())
      .size();
}

Plan config_plan(const std::string& name, const Mesh& mesh) {
  return uniform_plan(read_network("configs/networks/" + name + ".json"), 8, mesh);
}

Plan with_recompute(Plan plan) {
  for (const LayerIndex layer : plan.network.layers().indices()) {
    if (!std::holds_alternative<BatchNorm>(plan.network.layer(layer).parameters)) continue;
    plan.layers[layer].recompute = true;
  }
  return plan;
}

}  // namespace

TEST_CASE("UnitClasses: the representative of a class does what all its units do") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    check_representatives(named.plan);
  }
}

TEST_CASE("UnitClasses: unwanted units change nothing for the others") {
  std::mt19937 random(3);
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    if (!named.plan.multigrid.empty()) continue;
    for (int round = 0; round < 4; ++round) check_wanted(named.plan, random);
  }
}

TEST_CASE("UnitClasses: no loss represents the main loss, whose input is kept") {
  const Plan plan = uniform_plan(twins(), 4, parse_mesh("n2"));
  const UnitClasses classes((FusedUnits(plan)));
  CHECK(classes.representatives().back() == classes.representatives().last_index());
  check_representatives(plan);
  std::mt19937 random(4);
  for (int round = 0; round < 20; ++round) check_wanted(plan, random);
}

TEST_CASE("UnitClasses: labels of a loss that another loss represents are loaded nevertheless") {
  for (const char* name : {"googlenet-aux", "inception_v3-aux"}) {
    CAPTURE(name);
    std::mt19937 random(5);
    for (int round = 0; round < 6; ++round) {
      check_wanted(config_plan(name, parse_mesh(round % 2 == 0 ? "h2" : "n2h2")), random);
    }
  }
}

TEST_CASE("UnitClasses: repeated blocks are lowered once") {
  const Plan plan = config_plan("resnet152", parse_mesh("n4"));
  const FusedUnits fused(plan);
  const UnitClasses classes(fused);
  CHECK(check_representatives(plan) > fused.units().size());
  IndexedVector<UnitIndex, bool> wanted(fused.units().size(), true);
  const auto lowered = [&] {
    const IndexedVector<UnitIndex, bool> units = classes.around_representatives(wanted);
    return static_cast<std::size_t>(std::count(units.begin(), units.end(), true));
  };
  CHECK(2 * lowered() < wanted.size());
  // The last two units, a fully connected layer and the loss, are lowered with their inputs.
  std::fill(wanted.begin(), wanted.end() - 2, false);
  CHECK(lowered() == 4);
}

TEST_CASE("UnitClasses: represent units also if outputs are recomputed") {
  check_representatives(with_recompute(config_plan("resnet50", parse_mesh("h2"))));
  check_representatives(with_recompute(config_plan("densenet121", parse_mesh("n2h2"))));
  check_representatives(with_recompute(config_plan("mobilenet_v2", parse_mesh("w2"))));
}

TEST_CASE("UnitClasses: a mesh of its own sets a unit and those around it apart") {
  Plan plan = config_plan("resnet152", parse_mesh("n2"));
  const std::size_t before = class_count(plan);
  plan.layers[LayerIndex(200)].mesh = parse_mesh("h2");
  CHECK(class_count(plan) > before);
  check_representatives(plan);
}

}  // namespace cnnplan::test
