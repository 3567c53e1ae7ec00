// Tests that all ranks fail together when one of them fails.
#include "executor/comm/program.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

TEST_CASE("on_first_rank: all ranks throw the exception of rank 0") {
  const Communicator world = Communicator::world();
  int ran = 0;
  on_first_rank(world, [&] { ++ran; });
  CHECK(ran == (world.rank() == 0 ? 1 : 0));
  try {
    on_first_rank(world, [] { throw IoError("data.h5: cannot open"); });
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::io);
    CHECK(std::string(error.what()) == "data.h5: cannot open");
  }
  if (world.rank() == 0) {
    CHECK_THROWS_AS(on_first_rank(world, [] { throw std::logic_error("own"); }), std::logic_error);
  } else {
    CHECK_THROWS_AS(on_first_rank(world, [] {}), Error);
  }
}

TEST_CASE("on_every_rank: all ranks throw the exception of one rank") {
  const Communicator world = Communicator::world();
  int ran = 0;
  on_every_rank(world, [&] { ++ran; });
  CHECK(ran == 1);
  for (int failing = 0; failing < world.size(); ++failing) {
    // This rank and all later ones fail. The other ranks get the error of the first.
    const auto action = [&] {
      if (world.rank() < failing) return;
      throw IoError("rank " + std::to_string(world.rank()) + " cannot write");
    };
    const int told = std::max(failing, world.rank());
    try {
      on_every_rank(world, action);
      FAIL("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.exit_code() == ExitCode::io);
      CHECK(std::string(error.what()) == "rank " + std::to_string(told) + " cannot write");
    }
  }
}

TEST_CASE("read_shared_file: a missing file is missing on all ranks") {
  const Communicator world = Communicator::world();
  CHECK(read_shared_file(world, "CMakeLists.txt").find("project(cnnplan") != std::string::npos);
  CHECK_THROWS_AS(read_shared_file(world, "no/such/file"), Error);
}

TEST_CASE("Communicator: all_arrive_within is true when all arrive, late or not") {
  const Communicator world = Communicator::world();
  if (world.rank() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(world.all_arrive_within(60.0));
}

}  // namespace
}  // namespace cnnplan
