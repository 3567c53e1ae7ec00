// Tests the builder of schedules: dependencies, slots, lives of buffers, and overflow.
#include "planner/schedule/schedule_builder.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "tests/planner/base/random_values.hpp"
#include "tests/planner/schedule/order_of_execution.hpp"
#include "tests/planner/schedule/sample_plans.hpp"

namespace cnnplan::test {
namespace {

// Returns a builder with buffers "a" and "b" (0 and 1) and an arena (2) of three slots.
ScheduleBuilder builder_with_buffers() {
  ScheduleBuilder builder(0, 1);
  for (const char* name : {"a", "b"}) {
    builder.add_flat(name, BufferRole::activation, BufferElement::fp32, 10);
  }
  for (int i = 0; i < 3; ++i) builder.add_slot({.elements = 4});
  builder.add_flat("weights", BufferRole::weights, BufferElement::fp32, 12);
  return builder;
}

void add(ScheduleBuilder& builder, std::vector<Operand> operands) {
  builder.add_operation({.id = "operation " + std::to_string(builder.schedule().operations.size())},
                        LayerIndex(0),
                        Stream::compute,
                        KernelOperation{.operands = std::move(operands)});
}

std::vector<int> last_dependencies(ScheduleBuilder& builder) {
  const auto& depends_on = builder.schedule().operations.back().depends_on;
  return {depends_on.begin(), depends_on.end()};
}

Operand random_operand(RandomValues& random, const ScheduleBuilder& builder) {
  const bool written = random.boolean();
  if (random.boolean()) {
    const BufferIndex buffer(random.small(0, 1));
    return written ? builder.write(buffer) : builder.read(buffer);
  }
  const SlotIndex first(random.small(0, 2));
  return builder.slots(BufferIndex(2), first, SlotIndex(random.small(first, 2)), written);
}

}  // namespace

TEST_CASE("ScheduleBuilder: what lanes use lives until the last lane ends") {
  ScheduleBuilder builder = builder_with_buffers();
  add(builder, {builder.write(BufferIndex(0))});
  builder.begin_lanes();
  add(builder, {builder.write(BufferIndex(1))});
  add(builder, {builder.write(BufferIndex(2))});
  builder.end_lanes();
  CHECK(builder.buffer(BufferIndex(0)).last_use == 0);
  CHECK(builder.buffer(BufferIndex(1)).last_use == 2);
}

TEST_CASE("ScheduleBuilder: a reader waits for the last writer only") {
  ScheduleBuilder builder = builder_with_buffers();
  add(builder, {builder.write(BufferIndex(0))});
  add(builder, {builder.write(BufferIndex(0))});
  add(builder, {builder.read(BufferIndex(0))});
  CHECK(last_dependencies(builder) == std::vector{1});
  add(builder, {builder.read(BufferIndex(0))});
  CHECK(last_dependencies(builder) == std::vector{1});
}

TEST_CASE("ScheduleBuilder: a writer waits for the readers since the last writer") {
  ScheduleBuilder builder = builder_with_buffers();
  add(builder, {builder.write(BufferIndex(0))});
  add(builder, {builder.read(BufferIndex(0))});
  add(builder, {builder.read(BufferIndex(0)), builder.write(BufferIndex(1))});
  add(builder, {builder.write(BufferIndex(0))});
  CHECK(last_dependencies(builder) == std::vector{0, 1, 2});
}

TEST_CASE("ScheduleBuilder: an operation in place does not wait for itself") {
  ScheduleBuilder builder = builder_with_buffers();
  add(builder,
      {builder.read(BufferIndex(0)), builder.write(BufferIndex(0)), builder.read(BufferIndex(0))});
  CHECK(last_dependencies(builder).empty());
}

TEST_CASE("ScheduleBuilder: slots of an arena are distinguished") {
  ScheduleBuilder builder = builder_with_buffers();
  add(builder, {builder.slots(BufferIndex(2), SlotIndex(0), SlotIndex(0), true)});
  add(builder, {builder.slots(BufferIndex(2), SlotIndex(1), SlotIndex(2), true)});
  CHECK(last_dependencies(builder).empty());
  add(builder, {builder.slots(BufferIndex(2), SlotIndex(0), SlotIndex(1), false)});
  CHECK(last_dependencies(builder) == std::vector{0, 1});
  CHECK(builder.slots(BufferIndex(2), SlotIndex(0), SlotIndex(1), false).box ==
        whole({{1, 1, 1, 1, 8}}));
}

TEST_CASE("ScheduleBuilder: first and last use of a buffer") {
  ScheduleBuilder builder = builder_with_buffers();
  add(builder, {builder.write(BufferIndex(0))});
  add(builder, {builder.write(BufferIndex(1))});
  add(builder, {builder.read(BufferIndex(0))});
  CHECK(builder.buffer(BufferIndex(0)).first_use == 0);
  CHECK(builder.buffer(BufferIndex(0)).last_use == 2);
  CHECK(builder.buffer(BufferIndex(1)).first_use == 1);
  CHECK(builder.buffer(BufferIndex(1)).last_use == 1);
  CHECK(builder.buffer(BufferIndex(2)).first_use == -1);
}

TEST_CASE("ScheduleBuilder: bytes by element, refused when they overflow") {
  ScheduleBuilder builder(0, 1);
  const Box box{{Range{0, 2}, Range{0, 3}, Range{0, 1}, Range{4, 8}, Range{5, 6}}};
  const auto bytes = [&](BufferElement element) {
    return builder.buffer(builder.add_buffer("x", BufferRole::activation, element, box)).bytes;
  };
  CHECK(bytes(BufferElement::fp32) == 96);
  CHECK(bytes(BufferElement::int32) == 96);
  CHECK(bytes(BufferElement::fp64) == 192);
  CHECK_THROWS_AS(
      builder.add_flat("x", BufferRole::activation, BufferElement::fp64, std::int64_t{1} << 61),
      InputError);
}

TEST_CASE("ScheduleBuilder: whatever is read and written, conflicting operations are ordered") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    RandomValues random(seed);
    ScheduleBuilder builder = builder_with_buffers();
    for (int i = random.small(1, 30); i > 0; --i) {
      std::vector<Operand> operands;
      for (int j = random.small(1, 4); j > 0; --j) {
        operands.push_back(random_operand(random, builder));
      }
      add(builder, std::move(operands));
    }
    CHECK(first_unordered_pair(builder.schedule().operations) == "");
  }
}

TEST_CASE("ScheduleBuilder: conflicting operations of lowered plans are ordered") {
  for (const NamedPlan& named : sample_plans()) {
    CAPTURE(named.name);
    const Plan& plan = named.plan;
    const Schedule schedule = lower(plan, plan.ranks / 2);
    CHECK(first_unordered_pair(schedule.operations) == "");
    for (const OperationIndex i : schedule.operations.indices()) {
      const auto& depends_on = schedule.operations[i].depends_on;
      CHECK(std::is_sorted(depends_on.begin(), depends_on.end()));
      CHECK((depends_on.empty() || depends_on.back() < i));
    }
  }
}

}  // namespace cnnplan::test
