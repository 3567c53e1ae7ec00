// Tests of planner/schedule/unit_classes and lower_firsts.
#include "planner/schedule/unit_classes.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <variant>

#include <doctest/doctest.h>

#include "planner/model/network_json.hpp"
#include "planner/schedule/lower_firsts.hpp"
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

// Transfers between units are priced for pairs of splits.
std::string text_of(const TransferOperation& transfer) {
  return transfer.of_sums ? "transfer of " + std::to_string(transfer.list.sends.size()) : "";
}

std::string text_of(const LoadOperation&) {
  return "load";
}

// What a rank does for a layer, in any order, and what it keeps of it.
struct Work {
  std::multiset<std::string> operations;
  std::int64_t kept_bytes = 0;
  std::int64_t parameter_bytes = 0;
  bool operator==(const Work&) const = default;
};

std::vector<Work> work_of(const Schedule& schedule) {
  const std::vector<std::int64_t> kept = kept_bytes(schedule);
  const std::vector<std::int64_t> parameters = parameter_bytes(schedule);
  std::vector<Work> work(kept.size());
  for (const Operation& operation : schedule.operations) {
    const std::string text =
        std::visit([](const auto& body) { return text_of(body); }, operation.body);
    if (!text.empty()) work[static_cast<std::size_t>(operation.layer)].operations.insert(text);
  }
  for (std::size_t i = 0; i < work.size(); ++i) {
    work[i].kept_bytes = kept[i];
    work[i].parameter_bytes = parameters[i];
  }
  return work;
}

// @returns how many units another one stands for
std::size_t check_stand_ins(Plan plan) {
  plan.bucket_bytes = 1;
  const Decomposition decomposition(plan);
  const UnitClasses classes(decomposition);
  const std::vector<bool> all(decomposition.units().size(), true);
  std::size_t others = 0;
  for (int rank : {0, plan.ranks - 1}) {
    const std::vector<Work> whole = work_of(lower_for_prices(plan, std::array{rank}).front());
    const std::vector<Work> firsts =
        work_of(lower_firsts(decomposition, classes, all, std::array{rank}).front());
    for (std::size_t i = 0; i < decomposition.units().size(); ++i) {
      const Unit& unit = decomposition.units()[i];
      const Unit& first = decomposition.units()[classes.first()[i]];
      CAPTURE(plan.network.layer(unit.head).name);
      CAPTURE(plan.network.layer(first.head).name);
      CHECK(whole[static_cast<std::size_t>(unit.head)] ==
            firsts[static_cast<std::size_t>(first.head)]);
      CHECK(whole[static_cast<std::size_t>(unit.last)] ==
            firsts[static_cast<std::size_t>(first.last)]);
      if (classes.first()[i] != i) ++others;
    }
  }
  return others;
}

std::size_t class_count(const Plan& plan) {
  const UnitClasses classes((Decomposition(plan)));
  return std::set<std::size_t>(classes.first().begin(), classes.first().end()).size();
}

Plan config_plan(const std::string& name, const Mesh& mesh) {
  return uniform_plan(read_network("configs/networks/" + name + ".json"), 8, mesh);
}

Plan with_recompute(Plan plan) {
  for (LayerIndex layer = 0; layer < plan.network.layer_count(); ++layer) {
    if (!std::holds_alternative<BatchNorm>(plan.network.layer(layer).parameters)) continue;
    plan.layers[static_cast<std::size_t>(layer)].recompute = true;
  }
  return plan;
}

}  // namespace

TEST_CASE("UnitClasses: the first of a class does what all of it do") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    check_stand_ins(named.plan);
  }
}

TEST_CASE("UnitClasses: repeated blocks are lowered once") {
  const Plan plan = config_plan("resnet152", parse_mesh("n4"));
  const Decomposition decomposition(plan);
  const UnitClasses classes(decomposition);
  CHECK(check_stand_ins(plan) > decomposition.units().size());
  std::vector<bool> wanted(decomposition.units().size(), true);
  const auto lowered = [&] {
    const std::vector<bool> units = classes.around_firsts(wanted);
    return static_cast<std::size_t>(std::count(units.begin(), units.end(), true));
  };
  CHECK(2 * lowered() < wanted.size());
  // The last two are fully connected and the loss: with what they read.
  std::fill(wanted.begin(), wanted.end() - 2, false);
  CHECK(lowered() == 4);
}

TEST_CASE("UnitClasses: also where outputs are computed again") {
  check_stand_ins(with_recompute(config_plan("resnet50", parse_mesh("h2"))));
  check_stand_ins(with_recompute(config_plan("densenet121", parse_mesh("n2h2"))));
  check_stand_ins(with_recompute(config_plan("mobilenet_v2", parse_mesh("w2"))));
}

TEST_CASE("UnitClasses: a mesh of its own sets a unit and those around it apart") {
  Plan plan = config_plan("resnet152", parse_mesh("n2"));
  const std::size_t before = class_count(plan);
  plan.layers[200].mesh = parse_mesh("h2");
  CHECK(class_count(plan) > before);
  check_stand_ins(plan);
}

}  // namespace cnnplan::test
