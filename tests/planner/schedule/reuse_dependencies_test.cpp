// Tests that a buffer is written only after the last use of its bytes by another buffer.
#include "planner/schedule/reuse_dependencies.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "planner/schedule/memory_layout.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/schedule/schedule_builder.hpp"
#include "tests/planner/schedule/order_of_execution.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t elements = 16;  // a cache line of floats

void add_kernel(ScheduleBuilder& builder, std::vector<Operand> operands) {
  builder.add_operation({.id = "kernel"},
                        LayerIndex(0),
                        Stream::compute,
                        KernelOperation{.operands = std::move(operands)});
}

void add_transfer(ScheduleBuilder& builder, BufferIndex source, BufferIndex destination) {
  builder.add_operation({.id = "transfer"},
                        LayerIndex(0),
                        Stream::halo,
                        TransferOperation{.source = source, .destination = destination});
}

BufferIndex add_buffer(ScheduleBuilder& builder, const char* name) {
  return builder.add_flat(name, BufferRole::activation, BufferElement::fp32, elements);
}

std::vector<int> dependencies(ScheduleBuilder& builder, int operation) {
  const auto& depends_on = builder.schedule().operations[OperationIndex(operation)].depends_on;
  return {depends_on.begin(), depends_on.end()};
}

bool use_same_bytes(const Buffer& a, const Buffer& b) {
  return in_arena(a.role) && in_arena(b.role) && a.offset_bytes < b.offset_bytes + b.bytes &&
         b.offset_bytes < a.offset_bytes + a.bytes;
}

// Says whether the operations use two buffers that are in the same bytes one after the other.
bool pass_memory(const Schedule& schedule, const Operation& earlier, const Operation& later) {
  const auto buffer = [&](const Operand& operand) -> const Buffer& {
    return schedule.buffers[operand.buffer];
  };
  const std::vector<Operand> before = operands_of(earlier.body);
  const std::vector<Operand> after = operands_of(later.body);
  return std::any_of(before.begin(), before.end(), [&](const Operand& a) {
    return std::any_of(after.begin(), after.end(), [&](const Operand& b) {
      return a.buffer != b.buffer && use_same_bytes(buffer(a), buffer(b));
    });
  });
}

// Adds the order that a queue per stream and lane guarantees: kernels come before later operations
// of their queue.
Operations with_order_of_streams(Operations operations) {
  std::map<std::pair<Stream, int>, OperationIndex> last_kernel;
  for (const OperationIndex i : operations.indices()) {
    const std::pair queue(operations[i].stream, operations[i].lane);
    if (last_kernel.contains(queue)) operations[i].depends_on.push_back(last_kernel[queue]);
    if (!is_communication(operations[i])) last_kernel[queue] = i;
  }
  return operations;
}

// Names the first two operations that may use the same bytes for two buffers at the same time.
std::string first_race(const Schedule& schedule) {
  const auto& operations = schedule.operations;
  const OrderOfExecution order(with_order_of_streams(operations));
  for (const OperationIndex later : operations.indices()) {
    for (OperationIndex earlier(0); earlier < later; ++earlier) {
      if (order.is_before(earlier, later)) continue;
      if (pass_memory(schedule, operations[earlier], operations[later])) {
        return operations[earlier].id + " and " + operations[later].id;
      }
    }
  }
  return "";
}

}  // namespace

TEST_CASE("Reuse dependencies: the next buffer waits for another stream that reads the last one") {
  ScheduleBuilder builder(0, 2);
  const BufferIndex a = add_buffer(builder, "a");
  const BufferIndex b = add_buffer(builder, "b");
  const BufferIndex c = add_buffer(builder, "c");
  add_kernel(builder, {builder.write(a)});
  add_transfer(builder, a, b);
  add_kernel(builder, {builder.write(c)});
  add_kernel(builder, {builder.read(c), builder.read(b)});
  place_buffers(builder.schedule());
  REQUIRE(use_same_bytes(builder.buffer(a), builder.buffer(c)));
  add_reuse_dependencies(builder.schedule());
  CHECK(dependencies(builder, 2) == std::vector{1});
  CHECK(dependencies(builder, 3) == std::vector{1, 2});
}

TEST_CASE("Reuse dependencies: the next buffer waits for readers of the inside, and of the rim") {
  ScheduleBuilder builder(0, 2);
  const Box block = whole({{1, 1, 1, 4, 4}});
  Box inner = block;
  inner[Dim::h] = {0, 3};
  const BufferIndex a = builder.add_buffer("a", BufferRole::activation, BufferElement::fp32, block);
  builder.set_rim(a, inner);
  const BufferIndex b = add_buffer(builder, "b");
  const BufferIndex c = add_buffer(builder, "c");
  add_kernel(builder, {{.buffer = a, .box = inner, .written = true}});
  add_transfer(builder, a, b);
  add_transfer(builder, a, a);
  add_kernel(builder, {builder.write(c)});
  add_kernel(builder, {builder.read(c), builder.read(b)});
  place_buffers(builder.schedule());
  REQUIRE(use_same_bytes(builder.buffer(a), builder.buffer(c)));
  add_reuse_dependencies(builder.schedule());
  CHECK(dependencies(builder, 2) == std::vector{0});
  CHECK(dependencies(builder, 3) == std::vector{1, 2});
}

TEST_CASE("Reuse dependencies: kernels of one stream need none, communication does") {
  for (Stream stream : {Stream::compute, Stream::halo}) {
    ScheduleBuilder builder(0, 2);
    const BufferIndex a = add_buffer(builder, "a");
    const BufferIndex b = add_buffer(builder, "b");
    if (stream == Stream::compute) {
      add_kernel(builder, {builder.write(a)});
      add_kernel(builder, {builder.write(b)});
    } else {
      add_transfer(builder, {}, a);
      add_transfer(builder, {}, b);
    }
    place_buffers(builder.schedule());
    REQUIRE(use_same_bytes(builder.buffer(a), builder.buffer(b)));
    add_reuse_dependencies(builder.schedule());
    CHECK(dependencies(builder, 1).size() == (stream == Stream::compute ? 0 : 1));
  }
}

TEST_CASE("Reuse dependencies: a buffer waits for all buffers that had its memory before") {
  ScheduleBuilder builder(0, 2);
  const BufferIndex a = add_buffer(builder, "a");
  const BufferIndex b = add_buffer(builder, "b");
  const BufferIndex large =
      builder.add_flat("large", BufferRole::activation, BufferElement::fp32, 2 * elements);
  add_transfer(builder, {}, a);
  add_transfer(builder, {}, b);
  add_kernel(builder, {builder.write(large)});
  builder.schedule().buffers[b].offset_bytes = 4 * elements;
  add_reuse_dependencies(builder.schedule());
  CHECK(dependencies(builder, 2) == std::vector{0, 1});
}

TEST_CASE("Reuse dependencies: of overlapping plans no bytes are used for two buffers at once") {
  std::vector<NamedPlan> plans = config_plans();
  for (NamedPlan& plan : random_plans(40)) plans.push_back(std::move(plan));
  std::size_t added = 0;
  for (NamedPlan& named : plans) {
    if (named.plan.ranks == 1) continue;
    CAPTURE(named.name);
    const Schedule in_line = lower(named.plan, 1);
    named.plan.overlap = true;
    const Schedule schedule = lower(named.plan, 1);
    REQUIRE(first_race(schedule) == "");
    for (const OperationIndex i : schedule.operations.indices()) {
      added += schedule.operations[i].depends_on.size() - in_line.operations[i].depends_on.size();
    }
  }
  CHECK(added > 0);
}

TEST_CASE("Reuse dependencies: of groups at the same time no bytes are used for two buffers") {
  std::size_t lanes = 0;
  for (const NamedPlan& named : chain_plans(20)) {
    CAPTURE(named.name);
    const Schedule schedule = lower(named.plan, 0);
    if (schedule.lanes == 1) continue;
    ++lanes;
    REQUIRE(first_race(schedule) == "");
  }
  CHECK(lanes > 5);
}

}  // namespace cnnplan::test
