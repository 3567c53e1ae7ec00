// Compares fingerprints on rank 0.
#include "profiler/common_fingerprint.hpp"

#include <algorithm>
#include <span>
#include <string>

#include "executor/comm/nodes.hpp"
#include "planner/model/error.hpp"

namespace cnnplan {
namespace {

std::string text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Empty where all ranks say the same.
std::string difference(const std::string& own, const Communicator& world) {
  const auto all = world.gather(std::as_bytes(std::span(own)), 0);
  std::string message;
  const auto other =
      std::find_if(all.begin(), all.end(), [&](const auto& each) { return each != all.front(); });
  if (other != all.end()) {
    message = "times of different devices never merge: rank 0 runs on \"" + text_of(all.front()) +
              "\", rank " + std::to_string(other - all.begin()) + " on \"" + text_of(*other) + '"';
  }
  return world.broadcast(message, 0);
}

}  // namespace

DeviceFingerprint common_fingerprint(DeviceFingerprint own, const Communicator& world) {
  own.busy_ranks = static_cast<int>(world.maximum(find_nodes(world).ranks_here));
  const std::string message = difference(to_text(own), world);
  if (!message.empty()) throw EnvironmentError(message);
  return own;
}

}  // namespace cnnplan
