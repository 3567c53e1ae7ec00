// Checks that ranks on one device agree on it, and that ranks on different devices are refused.
#include "profiler/common_fingerprint.hpp"

#include <string>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

DeviceFingerprint fingerprint(const std::string& device) {
  return {.device = device, .backend = "onednn", .library = "oneDNN 2"};
}

}  // namespace

TEST_CASE("common_fingerprint: the ranks that share the device are those that are busy") {
  const Communicator world = Communicator::world();
  const DeviceFingerprint common = common_fingerprint(fingerprint("a CPU"), 3, world);
  CHECK(common.busy_ranks == 3);
  CHECK(common.device == "a CPU");
}

TEST_CASE("common_fingerprint: another device on the last rank is refused on all, by name") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  const bool is_last = world.rank() == world.size() - 1;
  std::string message;
  try {
    common_fingerprint(fingerprint(is_last ? "big CPU" : "small CPU"), 1, world);
  } catch (const EnvironmentError& error) {
    message = error.what();
  }
  CHECK(message.find("small CPU") != std::string::npos);
  CHECK(message.find("rank " + std::to_string(world.size() - 1) + " on \"big CPU") !=
        std::string::npos);
}

}  // namespace cnnplan
