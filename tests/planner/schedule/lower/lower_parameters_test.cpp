// Tests how gradients, buckets and updates are lowered.
#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include <doctest/doctest.h>

#include "planner/kernel/kernel_operands.hpp"
#include "planner/schedule/blocks/ownership.hpp"
#include "planner/schedule/schedule.hpp"
#include "planner/tensor/shard.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

// Counts how often something happens to each slot.
using SlotCounts = std::vector<int>;

void count(const Operand& operand, SlotCounts& counts) {
  for (SlotIndex slot = operand.first_slot; slot <= operand.last_slot; ++slot) {
    ++counts[slot];
  }
}

struct ParameterTraffic {
  SlotCounts computed;  // gradients written by kernels, not added to
  SlotCounts reduced;   // gradients summed over ranks
  SlotCounts updated;
};

ParameterTraffic traffic_of(const Schedule& schedule) {
  const SlotCounts none(schedule.slots.size(), 0);
  ParameterTraffic traffic{.computed = none, .reduced = none, .updated = none};
  for (const Operation& operation : schedule.operations) {
    if (const auto* collective = std::get_if<CollectiveOperation>(&operation.body)) {
      if (collective->operand.buffer == schedule.gradients) {
        count(collective->operand, traffic.reduced);
      }
      continue;
    }
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel == nullptr || kernel->spec.kind == KernelKind::accumulate) continue;
    for (const Operand& operand : kernel->operands) {
      if (!operand.written) continue;
      if (operand.buffer == schedule.gradients) count(operand, traffic.computed);
      if (operand.buffer == schedule.weights) count(operand, traffic.updated);
    }
  }
  return traffic;
}

// Finds the weights among the operands of an update.
std::size_t parameters_of(const KernelOperation& update) {
  return OperandPositions(update.spec)[OperandRole::parameters];
}

// Returns the operands of the updates' weights, in order.
std::vector<Operand> updates_of(const Schedule& schedule) {
  std::vector<Operand> updates;
  for (const Operation& operation : schedule.operations) {
    const auto* kernel = std::get_if<KernelOperation>(&operation.body);
    if (kernel != nullptr && kernel->spec.kind == KernelKind::sgd) {
      updates.push_back(kernel->operands[parameters_of(*kernel)]);
    }
  }
  return updates;
}

// Returns the updated slots by bucket, because shards are updated range by range.
std::vector<Operand> buckets_of(const Schedule& schedule) {
  std::vector<Operand> buckets = updates_of(schedule);
  if (!schedule.sharded_update) return buckets;
  std::vector<Operand> joined;
  bool begins = true;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    if (begins) joined.push_back(buckets[i]);
    joined.back().last_slot = buckets[i].last_slot;
    begins = schedule.gradient_ranges[i].ends_bucket;
  }
  return joined;
}

std::int64_t elements_of(const Schedule& schedule, SlotIndex first, SlotIndex last) {
  std::int64_t elements = 0;
  for (SlotIndex slot = first; slot <= last; ++slot) {
    elements += schedule.slots[slot].elements;
  }
  return elements;
}

// Returns the first slot of the layer that closed the bucket.
SlotIndex last_unit_of(const Schedule& schedule, const Operand& bucket) {
  SlotIndex first = bucket.last_slot;
  const auto layer_of = [&](SlotIndex slot) { return schedule.slots[slot].layer; };
  while (first > bucket.first_slot && layer_of(first - 1) == layer_of(bucket.last_slot)) --first;
  return first;
}

bool updates(const Operation& operation, SlotIndex slot) {
  const auto* kernel = std::get_if<KernelOperation>(&operation.body);
  if (kernel == nullptr || kernel->spec.kind != KernelKind::sgd) return false;
  const Operand& weights = kernel->operands[parameters_of(*kernel)];
  return weights.first_slot <= slot && slot <= weights.last_slot;
}

const Operation& next_update_of(const Schedule& schedule, SlotIndex slot, OperationIndex after) {
  return *std::find_if(schedule.operations.begin() + after,
                       schedule.operations.end(),
                       [slot](const Operation& operation) { return updates(operation, slot); });
}

// Returns the ids of gradient reductions and updates, in order: "reduce/0 sgd/0".
std::string parameter_operations(const Schedule& schedule) {
  std::string ids;
  for (const Operation& operation : schedule.operations) {
    if (serves_bucket(operation.label.part)) ids += (ids.empty() ? "" : " ") + operation.id;
  }
  return ids;
}

const Mesh& mesh_of(const Plan& plan, const ParameterSlot& slot) {
  return plan.layers[slot.layer].mesh;
}

}  // namespace

TEST_CASE("Lowering: slots hold every parameter of the network once") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    std::int64_t elements = 0;
    for (const ParameterSlot& slot : lower(plan, 0).slots) elements += volume(slot.shape);
    CHECK(elements == plan.network.parameter_count());
    for (const Schedule& schedule : lower_all(plan)) {
      const Buffer& weights = schedule.buffers[schedule.weights];
      CHECK(weights.bytes == elements_of(schedule, SlotIndex(0), schedule.slots.last_index()) *
                                 parameter_bytes(plan.precision));
      for (const ParameterSlot& slot : schedule.slots) CHECK(volume(slot.box) == slot.elements);
    }
  }
}

TEST_CASE("Lowering: ranks that share the channels of a layer have its parameters once") {
  for (const NamedPlan& named : random_plans(60)) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    const std::vector<Schedule> schedules = lower_all(plan);
    for (const SlotIndex i : schedules[0].slots.indices()) {
      const ParameterSlot& first = schedules[0].slots[i];
      const RankGroup ranks(mesh_of(plan, first), 0, {Axis::n, Axis::d, Axis::h, Axis::w, Axis::r});
      std::vector<Box> boxes;
      std::int64_t elements = 0;
      for (int rank : ranks.ranks()) {
        const ParameterSlot& slot = schedules[static_cast<std::size_t>(rank)].slots[i];
        CHECK(contains(whole(first.shape), slot.box));
        for (const Box& other : boxes) CHECK_FALSE(overlap(other, slot.box));
        boxes.push_back(slot.box);
        elements += slot.elements;
      }
      CHECK(elements == volume(first.shape));
    }
  }
}

TEST_CASE("Lowering: each gradient is computed, reduced and applied once") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const Schedule& schedule : lower_all(plan)) {
      const ParameterTraffic traffic = traffic_of(schedule);
      SlotCounts shared;
      for (const ParameterSlot& slot : schedule.slots) {
        const auto group = reduction_group(mesh_of(plan, slot), schedule.rank);
        shared.push_back(group.size() > 1 ? 1 : 0);
      }
      const SlotCounts once(schedule.slots.size(), 1);
      for (const SlotIndex i : schedule.slots.indices()) {
        if (schedule.slots[i].elements > 0) CHECK(traffic.computed[i] == 1);
      }
      CHECK(traffic.updated == once);
      CHECK(traffic.reduced == shared);
    }
  }
}

TEST_CASE("Lowering: buckets follow each other without gaps and are no fuller than asked") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const Schedule& schedule : lower_all(plan)) {
      SlotIndex next(0);
      for (const Operand& bucket : buckets_of(schedule)) {
        CHECK(bucket.first_slot == next);
        next = bucket.last_slot + 1;
        std::int64_t before = 0;  // of whole tensors, whatever part of them this rank has
        for (SlotIndex slot = bucket.first_slot; slot < last_unit_of(schedule, bucket); ++slot) {
          before += volume(schedule.slots[slot].shape);
        }
        CHECK(before * parameter_bytes(plan.precision) < plan.bucket_bytes);
      }
      CHECK(next == schedule.slots.end_index());
    }
  }
}

TEST_CASE("Lowering: a bucket is reduced over the ranks that share its layers, before its update") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const Schedule& schedule : lower_all(plan)) {
      for (const OperationIndex i : schedule.operations.indices()) {
        const auto* collective = std::get_if<CollectiveOperation>(&schedule.operations[i].body);
        if (collective == nullptr || collective->operand.buffer != schedule.gradients) continue;
        const Operand& bucket = collective->operand;
        for (SlotIndex slot = bucket.first_slot; slot <= bucket.last_slot; ++slot) {
          const ParameterSlot& parameter = schedule.slots[slot];
          CHECK(collective->group == reduction_group(mesh_of(plan, parameter), schedule.rank));
        }
        CHECK(collective->elements == elements_of(schedule, bucket.first_slot, bucket.last_slot));
        const Operation& update = next_update_of(schedule, bucket.first_slot, i);
        const auto& kernel = std::get<KernelOperation>(update.body);
        const Operand& updated =
            kernel.operands[OperandPositions(kernel.spec)[OperandRole::gradient]];
        CHECK(updated.buffer == schedule.gradients);
        CHECK(updated.first_slot <= bucket.first_slot);
        CHECK(updated.last_slot >= bucket.last_slot);
        CHECK(std::count(update.depends_on.begin(), update.depends_on.end(), i) == 1);
      }
    }
  }
}

TEST_CASE("Lowering: all plans of a network have the same updates") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    Plan replicated = named.plan;
    const Mesh everywhere({{Axis::r, replicated.ranks}});
    for (LayerPlan& layer : replicated.layers) layer = {.mesh = everywhere};
    replicated.multigrid.clear();
    const std::vector<Operand> expected = buckets_of(lower(replicated, 0));
    for (const Schedule& schedule : lower_all(named.plan)) {
      const std::vector<Operand> buckets = buckets_of(schedule);
      REQUIRE(buckets.size() == expected.size());
      for (std::size_t i = 0; i < buckets.size(); ++i) {
        CHECK(buckets[i].first_slot == expected[i].first_slot);
        CHECK(buckets[i].last_slot == expected[i].last_slot);
      }
    }
  }
}

TEST_CASE("Lowering: each bucket is updated separately after backpropagation") {
  Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 2, parse_mesh("n2"));
  plan.bucket_bytes = 16 << 10;
  for (const bool overlap : {false, true}) {
    plan.overlap = overlap;
    CHECK(parameter_operations(lower(plan, 0)) ==
          "reduce/0 reduce/1 reduce/2 reduce/3 sgd/0 sgd/1 sgd/2 sgd/3");
  }
}

TEST_CASE("Lowering: a sharded update begins with the weights of the first layers") {
  Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 2, parse_mesh("n2"));
  plan.bucket_bytes = 16 << 10;
  plan.sharded_update = true;
  CHECK(parameter_operations(lower(plan, 0)) ==
        "reduce/3/gather reduce/2/gather reduce/1/gather reduce/0/gather "
        "reduce/0 reduce/1 reduce/2 reduce/3 sgd/0 sgd/1 sgd/2 sgd/3");
  plan.precision = Precision::bf16;
  plan.bucket_bytes = Plan{}.bucket_bytes;
  CHECK(parameter_operations(lower(plan, 0)) ==
        "reduce/0/gather reduce/0/gather_copies reduce/0 sgd/0");
}

TEST_CASE("Lowering: of a sharded update, the first layer waits for its own weights alone") {
  Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 2, parse_mesh("n2"));
  plan.bucket_bytes = 1;
  plan.sharded_update = true;
  const Schedule schedule = lower(plan, 0);
  const auto first = std::find_if(
      schedule.operations.begin(), schedule.operations.end(), [](const Operation& operation) {
        return std::holds_alternative<KernelOperation>(operation.body);
      });
  int gathers = 0;
  for (OperationIndex earlier : first->depends_on) {
    const Operation& operation = schedule.operations[earlier];
    gathers += operation.label.part == OperationPart::weight_allgather ? 1 : 0;
  }
  CHECK(gathers == 1);
}

TEST_CASE("Lowering: shards of all ranks are all of a range, and momentum is that of one shard") {
  for (const NamedPlan& named : random_plans(40)) {
    CAPTURE(named.name);
    if (!named.plan.sharded_update) continue;
    const std::vector<Schedule> schedules = lower_all(named.plan);
    for (const Schedule& schedule : schedules) {
      const std::vector<Operand> updates = updates_of(schedule);
      REQUIRE(updates.size() == schedule.gradient_ranges.size());
      std::int64_t momentum = 0;
      for (std::size_t i = 0; i < updates.size(); ++i) {
        const GradientRange& range = schedule.gradient_ranges[i];
        const std::int64_t elements = elements_of(schedule, range.first_slot, range.last_slot);
        CHECK(updates[i].shards == range.group.size());
        CHECK(range.group[updates[i].shard] == schedule.rank);
        CHECK(volume(updates[i].box) == shard_elements(elements, updates[i].shards));
        momentum += volume(updates[i].box);
      }
      CHECK(volume(schedule.buffers[schedule.momentum].box) == momentum);
    }
  }
}

TEST_CASE("Lowering: sums of gradients by the algorithm of their size") {
  Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 2, parse_mesh("n2"));
  plan.bucket_bytes = 1;
  plan.gradient_allreduce = AllreduceAlgorithm::rabenseifner;
  constexpr std::int64_t limit_bytes = 64 << 10;
  plan.small_gradient_allreduces = {
      {.max_bytes = limit_bytes, .algorithm = AllreduceAlgorithm::recursive_doubling}};
  std::set<AllreduceAlgorithm> found;
  const Schedule schedule = lower(plan, 0);
  for (const Operation& operation : schedule.operations) {
    const auto* sum = std::get_if<CollectiveOperation>(&operation.body);
    if (sum == nullptr || sum->operand.buffer != schedule.gradients) continue;
    const bool is_small = sum->elements * bytes_of(ElementType::fp32) <= limit_bytes;
    CHECK(sum->algorithm ==
          (is_small ? AllreduceAlgorithm::recursive_doubling : AllreduceAlgorithm::rabenseifner));
    found.insert(sum->algorithm);
  }
  CHECK(found.size() == 2);
}

// Holds the algorithm and the size of a layer's sum, and where in the sum the layer begins.
using Sums = std::map<LayerIndex, std::tuple<AllreduceAlgorithm, std::int64_t, std::int64_t>>;

Sums sums_of(const Schedule& schedule) {
  Sums sums;
  for (const Operation& operation : schedule.operations) {
    const auto* sum = std::get_if<CollectiveOperation>(&operation.body);
    if (sum == nullptr || sum->operand.buffer != schedule.gradients) continue;
    std::int64_t place = 0;
    for (SlotIndex i = sum->operand.first_slot; i <= sum->operand.last_slot; ++i) {
      const ParameterSlot& slot = schedule.slots[i];
      sums.try_emplace(slot.layer, sum->algorithm, sum->elements, place);
      place += slot.elements;
    }
  }
  return sums;
}

TEST_CASE("Lowering: replicas sum a layer at the same place of equally large sums") {
  Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 4, parse_mesh("n4r2"));
  const LayerIndex split = plan.network.index_of("fc1").value();
  plan.layers[split].mesh = parse_mesh("n4c2");
  plan.layers[split].channel_algorithm = ChannelAlgorithm::stationary_x;
  const std::vector<Schedule> schedules = lower_all(plan);
  Sums first = sums_of(schedules[0]);
  Sums second = sums_of(schedules[1]);
  CHECK(first.at(split) != second.at(split));  // the bias belongs to one of them
  first.erase(split);
  second.erase(split);
  CHECK(first == second);
}

TEST_CASE("Lowering: fp64 fills a bucket with half as many elements") {
  Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 2, parse_mesh("n2"));
  plan.bucket_bytes = 16 << 10;
  const std::size_t single = buckets_of(lower(plan, 0)).size();
  plan.precision = Precision::fp64;
  plan.bucket_bytes *= 2;
  CHECK(buckets_of(lower(plan, 0)).size() == single);
}

TEST_CASE("Lowering: groups of statistics are those of the plan") {
  for (const NamedPlan& named : random_plans(30)) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    for (const Schedule& schedule : lower_all(plan)) {
      for (const Operation& operation : schedule.operations) {
        const auto* collective = std::get_if<CollectiveOperation>(&operation.body);
        if (operation.label.part != OperationPart::statistics_allreduce) continue;
        REQUIRE(collective != nullptr);
        const LayerPlan& layer = plan.layers[operation.layer];
        CHECK(collective->group == statistics_group(layer.mesh, layer.statistics, schedule.rank));
        CHECK(collective->element == ElementType::fp64);
      }
    }
  }
}

}  // namespace cnnplan::test
