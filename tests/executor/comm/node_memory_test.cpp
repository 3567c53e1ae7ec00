// Tests how much memory a rank has, and that all ranks refuse a request for more.
#include "executor/comm/node_memory.hpp"

#include <doctest/doctest.h>

#include "executor/backend/cpu_device.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {

TEST_CASE("memory_of_rank: is equal on all ranks and above zero") {
  const Communicator world = Communicator::world();
  const std::int64_t bytes = memory_of_rank(world, CpuDevice());
  CHECK(bytes > 0);
  CHECK(world.broadcast(bytes, 0) == bytes);
}

TEST_CASE("require_memory: all ranks refuse what one rank has no memory for") {
  const Communicator world = Communicator::world();
  const std::int64_t available = memory_of_rank(world, CpuDevice());
  const bool is_last = world.rank() == world.size() - 1;
  CHECK_NOTHROW(require_memory(available, "all of it", world, CpuDevice()));
  try {
    require_memory(is_last ? available + 1 : 0, "a little more", world, CpuDevice());
    FAIL("nothing was thrown");
  } catch (const InfeasibleError& error) {
    CHECK(error.needed() == available + 1);
    CHECK(error.available() == available);
    CHECK(std::string(error.what()).starts_with("a little more: "));
  }
}

}  // namespace cnnplan
