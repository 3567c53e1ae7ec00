// Tests of planner/schedule/schedule: memory.
#include "planner/schedule/schedule.hpp"

#include <doctest/doctest.h>

#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

// 8 rows of 4 columns, of two samples.
Box rows(std::int64_t begin, std::int64_t end, std::int64_t samples = 2) {
  Box box = whole({{samples, 1, 1, 8, 4}});
  box[Dim::h] = {begin, end};
  return box;
}

// Rank 1 sends its rows to rank 0 and itself, and receives a row of rank 0.
Schedule schedule_with(TransferOperation transfer, const Box& block) {
  Schedule schedule{.rank = 1, .ranks = 2};
  schedule.buffers.push_back({.role = BufferRole::data, .box = block, .bytes = 4 * volume(block)});
  schedule.operations.push_back({.id = "x", .body = std::move(transfer)});
  return schedule;
}

}  // namespace

TEST_CASE("staging_bytes: rows of several samples are packed and unpacked, except one's own") {
  const TransferOperation transfer{.source = 0,
                                   .destination = 0,
                                   .list = {.sends = {{0, rows(4, 6)}, {1, rows(4, 8)}},
                                            .receives = {{0, rows(3, 4)}, {1, rows(4, 8)}}}};
  const Schedule schedule = schedule_with(transfer, rows(0, 8));
  CHECK(staging_bytes(schedule, schedule.operations[0]) == 4 * (2 * 2 * 4 + 2 * 4));
  const MemoryUse use = memory_of(schedule);
  CHECK(use.buffers_bytes == 4 * (2 * 2 * 4 + 2 * 4));
  CHECK(use.activations_bytes == 4 * 2 * 8 * 4);
}

TEST_CASE("staging_bytes: rows of one sample are sent as they are, but not added as they are") {
  TransferOperation transfer{
      .source = 0,
      .destination = 0,
      .list = {.sends = {{0, rows(4, 6, 1)}}, .receives = {{0, rows(3, 4, 1)}}}};
  const Schedule halo = schedule_with(transfer, rows(0, 8, 1));
  CHECK(staging_bytes(halo, halo.operations[0]) == 0);
  transfer.accumulate = true;
  Schedule sum = schedule_with(transfer, rows(0, 8, 1));
  CHECK(staging_bytes(sum, sum.operations[0]) == 4 * 4);
  sum.buffers[0].element = BufferElement::fp64;
  CHECK(staging_bytes(sum, sum.operations[0]) == 8 * 4);
  sum.buffers[0].element = BufferElement::fp16;
  CHECK(staging_bytes(sum, sum.operations[0]) == 2 * 4);
}

TEST_CASE("memory_of: what is split by height over several samples needs memory for messages") {
  const Network network = read_network("configs/networks/mesh-1k.json");
  const auto buffers = [&](std::int64_t batch) {
    return memory_of(lower(uniform_plan(network, batch, parse_mesh("h2")), 0)).buffers_bytes;
  };
  // At least the halo of the first layer, both ways.
  CHECK(buffers(2) > 2 * buffers(1));
}

}  // namespace cnnplan::test
