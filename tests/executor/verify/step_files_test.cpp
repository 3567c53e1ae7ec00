// Tests who removes the temporary folder of a verification.
#include "executor/verify/step_files.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

namespace cnnplan::test {
namespace {

void wait_for_all(const Communicator& world) {
  world.maximum(0.0);
}

bool exists(const TemporaryFolder& folder) {
  return std::filesystem::exists(folder.file("."));
}

// Makes the folder and leaves by an exception, which is caught here.
void fail_with_folder(const Communicator& world) {
  try {
    const TemporaryFolder folder(world);
    wait_for_all(world);
    throw std::runtime_error("failed");
  } catch (const std::runtime_error&) {
  }
}

}  // namespace

// All ranks of the test are on one node.
TEST_CASE("TemporaryFolder: another rank that fails removes it, since rank 0 may be ended") {
  const Communicator world = Communicator::world();
  if (world.rank() > 0) {
    fail_with_folder(world);
    return wait_for_all(world);
  }
  const TemporaryFolder folder(world);
  CHECK(exists(folder));
  wait_for_all(world);
  wait_for_all(world);
  CHECK(exists(folder) == (world.size() == 1));
}

TEST_CASE("TemporaryFolder: rank 0 removes it after use") {
  const Communicator world = Communicator::world();
  std::string path;
  {
    const TemporaryFolder folder(world);
    path = folder.file(".");
    wait_for_all(world);
  }
  wait_for_all(world);
  CHECK(!std::filesystem::exists(path));
}

}  // namespace cnnplan::test
