// Tests where parameters lie in an array.
#include "planner/schedule/parameter_offsets.hpp"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "planner/schedule/rank_memory.hpp"
#include "planner/tensor/shard.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

std::int64_t plain_elements(const Schedule& schedule) {
  std::int64_t elements = 0;
  for (const ParameterSlot& slot : schedule.slots) elements += slot.elements;
  return elements;
}

void check_slots(const Schedule& schedule, const std::vector<std::int64_t>& offsets) {
  REQUIRE(offsets.size() == schedule.slots.size() + 1);
  for (const SlotIndex i : schedule.slots.indices()) {
    CHECK(offsets[i] % shard_line_elements == 0);
    CHECK(offsets[i + 1] - offsets[i] >= schedule.slots[i].elements);
  }
}

}  // namespace

TEST_CASE("slot_offsets: slots begin with lines, follow each other, and waste less than a line") {
  for (const NamedPlan& named : random_plans(10)) {
    CAPTURE(named.name);
    for (const Schedule& schedule : lower_all(named.plan)) {
      const auto offsets = slot_offsets(schedule, DeviceKind::cpu, weight_volume);
      check_slots(schedule, offsets);
      if (schedule.sharded_update) continue;
      const auto slots = static_cast<std::int64_t>(schedule.slots.size());
      CHECK(offsets.back() - plain_elements(schedule) <= slots * (shard_line_elements - 1));
    }
  }
}

TEST_CASE("slot_offsets: the ranks of a sharded update have equal shards of all elements") {
  for (NamedPlan& named : random_plans(10)) {
    CAPTURE(named.name);
    named.plan.sharded_update = true;
    for (const Schedule& schedule : lower_all(named.plan)) {
      const auto offsets = slot_offsets(schedule, DeviceKind::cpu, weight_volume);
      check_slots(schedule, offsets);
      std::int64_t own = 0;
      for (const GradientRange& range : schedule.gradient_ranges) {
        const std::int64_t all = offsets[range.last_slot + 1] - offsets[range.first_slot];
        CHECK(all % range.group.size() == 0);
        own += all / range.group.size();
      }
      CHECK(own_shard_elements(schedule, offsets) == own);
    }
  }
}

TEST_CASE("slot_offsets: a backend decides what a weight takes, and nothing else") {
  const Schedule schedule = lower_all(config_plans().front().plan).front();
  const auto none =
      slot_offsets(schedule, DeviceKind::cpu, [](const KernelSpec&) { return std::int64_t{0}; });
  for (const SlotIndex i : schedule.slots.indices()) {
    const ParameterSlot& slot = schedule.slots[i];
    const bool is_weight = slot.role == ParameterRole::weight;
    CHECK(none[i + 1] - none[i] == (is_weight ? 0 : shard_elements(slot.elements, 1)));
  }
}

TEST_CASE("memory_of: parameters of a GPU have the channels that it stores with samples") {
  Network network = read_network("configs/networks/lenet.json");
  Plan plan = uniform_plan(network, 8, Mesh());
  plan.precision = Precision::bf16;
  const Schedule schedule = lower_all(plan).front();
  const std::int64_t cpu = memory_of(schedule).parameters_bytes;
  const std::int64_t gpu = memory_of(schedule, {.device = DeviceKind::gpu}).parameters_bytes;
  constexpr std::int64_t filter_elements = 500;  // 20 filters of 5x5 over one channel
  const std::int64_t more_elements =
      shard_elements(filter_elements * 8, 1) - shard_elements(filter_elements, 1);
  CHECK(gpu - cpu == more_elements * (3 * 4 + 2));
}

}  // namespace cnnplan::test
