// Tests what a profile says of a kernel that ranks ran in different ways.
#include <doctest/doctest.h>

#include "profiler/kernel_walk.hpp"

namespace cnnplan {
namespace {

const KernelSpec kernel{.kind = KernelKind::relu, .phase = KernelPhase::forward};

// Returns the timing in the profile of samples with these properties on this rank.
KernelTiming recorded(const Communicator& world, const KernelTiming& own, bool has_samples = true) {
  KernelSamples samples;
  if (has_samples) {
    samples.seconds[kernel] = samples.occurrences_s[kernel] = {1.0, 1.0};
    samples.properties[kernel] = own;
  }
  Profile profile;
  record(profile, samples, {kernel}, world);
  return profile.kernels.at(kernel);
}

}  // namespace

TEST_CASE("record: a kernel has the workspace of the implementation that the plan will name") {
  const Communicator world = Communicator::world();
  const bool is_first = world.rank() == 0;
  const KernelTiming timing = recorded(
      world, {.workspace_bytes = is_first ? 10 : 99, .implementation = is_first ? "a" : "b"});
  CHECK(timing.implementation == "a");
  CHECK(timing.workspace_bytes == 10);
}

TEST_CASE("record: a rank without samples names no implementation") {
  const Communicator world = Communicator::world();
  const bool is_last = world.rank() + 1 == world.size();
  const KernelTiming timing =
      recorded(world, {.workspace_bytes = 7, .implementation = "c"}, is_last);
  CHECK(timing.implementation == "c");
  CHECK(timing.workspace_bytes == 7);
}

TEST_CASE("record: where no implementation has a name, the largest workspace counts") {
  const Communicator world = Communicator::world();
  CHECK(recorded(world, {.workspace_bytes = 5 + world.rank(), .implementation = ""})
            .workspace_bytes == 4 + world.size());
}

}  // namespace cnnplan
