// Compares the fingerprints of all ranks on rank 0.
#include "profiler/common_fingerprint.hpp"

#include <algorithm>
#include <string>

#include "executor/comm/node_memory.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

// Returns an empty text if all ranks have equal fingerprints.
std::string difference(const std::string& own, const Communicator& world) {
  const auto all = world.gather(own, 0);
  std::string message;
  const auto other =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each != all.front(); });
  if (other != all.end()) {
    message = "times of different devices never merge: rank 0 runs on \"" + all.front() +
              "\", rank " + std::to_string(other - all.begin()) + " on \"" + *other + '"';
  }
  return world.broadcast(message, 0);
}

}  // namespace

DeviceFingerprint common_fingerprint(DeviceFingerprint own,
                                     int busy_ranks,
                                     const Communicator& world) {
  own.busy_ranks = busy_ranks;
  const std::string message = difference(to_text(own), world);
  if (!message.empty()) throw EnvironmentError(message);
  return own;
}

void require_speed(const Communicator& world, const Device& device) {
  if (!take_turns(world, device)) return;
  throw EnvironmentError(
      "ranks share a GPU without MPS and take turns on it, so times would say nothing about its "
      "speed: start one rank per GPU, or nvidia-cuda-mps-control -d");
}

}  // namespace cnnplan
