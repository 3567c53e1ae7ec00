// Tests how much memory ranks need: staging, workspaces, and their sums.
#include "planner/schedule/rank_memory.hpp"

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "planner/schedule/memory_layout.hpp"
#include "planner/tensor/shard.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

// Returns some of the 8 rows of 4 columns.
Box rows(std::int64_t begin, std::int64_t end, std::int64_t samples = 2) {
  Box box = whole({{samples, 1, 1, 8, 4}});
  box[Dim::h] = {begin, end};
  return box;
}

// On rank 1, sends rows to rank 0 and to itself, and receives a row of rank 0.
Schedule schedule_with(TransferOperation transfer, const Box& block) {
  Schedule schedule{.rank = 1, .ranks = 2};
  schedule.buffers.push_back({.role = BufferRole::data, .box = block, .bytes = 4 * volume(block)});
  schedule.operations.push_back({.id = "x", .body = std::move(transfer)});
  return schedule;
}

}  // namespace

TEST_CASE("staging_bytes: rows of several samples are packed and unpacked, except one's own") {
  const TransferOperation transfer{.source = BufferIndex(0),
                                   .destination = BufferIndex(0),
                                   .list = {.sends = {{0, rows(4, 6)}, {1, rows(4, 8)}},
                                            .receives = {{0, rows(3, 4)}, {1, rows(4, 8)}}}};
  const Schedule schedule = schedule_with(transfer, rows(0, 8));
  CHECK(staging_bytes(schedule, schedule.operations.front()) == 4 * (2 * 2 * 4 + 2 * 4));
  const MemoryUse use = memory_of(schedule);
  CHECK(use.buffers_bytes == 4 * (2 * 2 * 4 + 2 * 4));
  CHECK(use.activations_bytes == 4 * 2 * 8 * 4);
}

TEST_CASE("staging_bytes: rows of one sample are sent as they are, but not added as they are") {
  TransferOperation transfer{
      .source = BufferIndex(0),
      .destination = BufferIndex(0),
      .list = {.sends = {{0, rows(4, 6, 1)}}, .receives = {{0, rows(3, 4, 1)}}}};
  const Schedule halo = schedule_with(transfer, rows(0, 8, 1));
  CHECK(staging_bytes(halo, halo.operations.front()) == 0);
  transfer.accumulate = true;
  Schedule sum = schedule_with(transfer, rows(0, 8, 1));
  CHECK(staging_bytes(sum, sum.operations.front()) == 4 * 4);
  sum.buffers.front().element = BufferElement::fp64;
  CHECK(staging_bytes(sum, sum.operations.front()) == 8 * 4);
  sum.buffers.front().element = BufferElement::fp16;
  CHECK(staging_bytes(sum, sum.operations.front()) == 2 * 4);
}

TEST_CASE("memory_of: a split by height over several samples needs memory for messages") {
  const Network network = read_network("configs/networks/mesh-1k.json");
  const auto buffers = [&](std::int64_t batch) {
    return memory_of(lower(uniform_plan(network, batch, parse_mesh("h2")), 0)).buffers_bytes;
  };
  // At least the halo of the first layer is copied, in both directions.
  CHECK(buffers(2) > 2 * buffers(1));
}

TEST_CASE("workspace_bytes: a lane's kernels share one workspace, or each has its own") {
  Schedule schedule{.lanes = 2};
  for (const int lane : {0, 1, 0}) schedule.operations.push_back({.lane = lane});
  Workspaces workspaces{.bytes = {100, 20, 3}, .shared = false};
  CHECK(workspace_bytes(schedule, workspaces) == 123);
  workspaces.shared = true;
  CHECK(workspace_bytes(schedule, workspaces) == 120);
  CHECK(memory_of(schedule, workspaces).buffers_bytes == 120);
  CHECK(memory_of(schedule).buffers_bytes == 0);
}

TEST_CASE("memory_within: buffers share memory only where they do not fit without") {
  const Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 8, parse_mesh("n2"));
  Schedule schedule = lower(plan, std::array{0}, {.detail = Detail::priced}).front();
  const auto within = [&schedule](std::int64_t available_bytes, std::int64_t process_bytes) {
    return memory_within(
        {.available_bytes = available_bytes, .process_bytes = process_bytes}, schedule, {});
  };
  constexpr std::int64_t unknown = 0;
  const std::int64_t most = within(unknown, 0).total_bytes();
  CHECK(schedule.arena_bytes == most_arena_bytes(schedule));
  CHECK(within(most, 0).total_bytes() == most);
  CHECK(within(most + 1, 1).total_bytes() == most + 1);
  CHECK(within(most, 1).total_bytes() < most);  // one byte too few, because of the process
  const MemoryUse least = within(most - 1, 0);
  CHECK(least.total_bytes() < most);
  CHECK(least == memory_of(lower(plan, 0)));
}

TEST_CASE("most_of: the rank that needs most, and the memory that is available") {
  const std::array<MemoryUse, 3> ranks{{{.parameters_bytes = 5, .buffers_bytes = 1},
                                        {.activations_bytes = 7, .buffers_bytes = 3},
                                        {.parameters_bytes = 9}}};
  MemoryUse expected = ranks[1];
  expected.available_bytes = 100;
  CHECK(most_of(ranks, 100) == expected);
}

TEST_CASE("fits: everything fits if the limit is unknown") {
  CHECK(fits(100, 100));
  CHECK_FALSE(fits(101, 100));
  CHECK(fits(101, 0));
}

TEST_CASE("layer_bytes: every layer has its parameters and what it keeps") {
  const Plan plan = uniform_plan(read_network("configs/networks/lenet.json"), 8, parse_mesh("n2"));
  const Schedule schedule = lower(plan, 0);
  const IndexedVector<LayerIndex, std::int64_t> kept = kept_bytes(schedule);
  const IndexedVector<LayerIndex, std::int64_t> parameters = parameter_bytes(schedule);
  const IndexedVector<LayerIndex, std::int64_t> both = layer_bytes(schedule);
  REQUIRE(both.size() == kept.size());
  std::int64_t parameter_sum = 0;
  for (const LayerIndex i : both.indices()) {
    CHECK(both[i] == kept[i] + parameters[i]);
    parameter_sum += parameters[i];
  }
  CHECK(parameter_sum == memory_of(schedule).parameters_bytes);
}

TEST_CASE("parameter_bytes: a rank of a sharded update has a shard of each momentum") {
  constexpr int ranks = 4;
  constexpr std::int64_t bytes = 4;
  const Network lenet = read_network("configs/networks/lenet.json");
  Plan plan = uniform_plan(lenet, 8, parse_mesh("n4"));
  const IndexedVector<LayerIndex, std::int64_t> whole = parameter_bytes(lower(plan, 0));
  plan.sharded_update = true;
  const Schedule schedule = lower(plan, 0);
  IndexedVector<LayerIndex, std::int64_t> expected = whole;
  for (const ParameterSlot& slot : schedule.slots) {
    const std::int64_t in_lines = shard_elements(slot.elements, 1);
    expected[slot.layer] -= bytes * (in_lines - shard_elements(in_lines, ranks));
  }
  CHECK(expected != whole);
  CHECK(parameter_bytes(schedule) == expected);
}

}  // namespace cnnplan::test
