// Times the kernels of a schedule as the executor runs them: in order, in its buffers, with the
// cache as earlier operations left it, and with all ranks busy.
//
// If the program has fewer or more ranks than the plan, communication is left out. The ranks still
// wait for each other where communication would make them wait. Kernels that the executor runs at
// the same time on all ranks share the memory's bandwidth here, too.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Holds the seconds of each repetition, by canonical key. A kernel that occurs several times in the
// schedule gives one value per repetition, which is the mean over its occurrences.
struct KernelSamples {
  std::map<KernelSpec, std::vector<double>> seconds;
  std::map<KernelSpec, std::vector<double>> occurrences_s;  // of each occurrence by itself
  std::map<KernelSpec, KernelTiming> properties;            // workspace and implementation only
};

// Says how often a schedule is walked.
struct WalkOptions {
  int repetitions = 12;  // passes that are timed
  // Fewest passes before the timed ones. There are more until they took 0.1 s and, on a GPU, until
  // three in a row took equally long (within 3 %), or there were 50.
  int warmup = 2;
};

// Every rank calls these functions during its walk.
struct WalkCallbacks {
  std::function<void()> after_pass;  // after the first `warmup` passes, and all timed ones
  // Takes a sentence on a kernel that is left out, or on graphs that are not used; may be empty.
  std::function<void(const std::string& text)> note = {};
};

// Returns the canonical keys of all kernels with work to do.
std::set<KernelSpec> kernels_of(const Schedule& schedule);

// Borrows the schedule that one rank of the program walks, and its plan.
struct Walk {
  const Schedule& schedule;
  const Plan& plan;
  // Where communication is left out, all ranks wait for each other before the operations of these
  // ids.
  std::set<std::string> meetings;
};

// Returns the ids of the operations that communicate in all schedules.
std::set<std::string> common_communication(std::span<const Schedule> schedules);

// Runs the kernels of a schedule at least warmup + repetitions times, and returns the samples of
// this rank. Events between the kernels of a GPU take time. So there are as many passes without
// events, and the difference is subtracted (event_cost.hpp). It is collective over `world` and
// blocks: every rank walks a schedule that has all meetings. A kernel that fails is left out and
// has no samples.
// @throws DeviceLostError where no other kernel could run; as Device::allocate(); EnvironmentError
// where there are no threads for lanes
KernelSamples walk_kernels(const Walk& walk,
                           Backend& backend,
                           const Communicator& world,
                           const WalkOptions& options,
                           const WalkCallbacks& callbacks);

// Adds the samples that any rank has of `wanted` to `profile`, on every rank alike. Kernels without
// samples are not added. All ranks pass equal sets `wanted`. It is collective and blocks.
void record(Profile& profile,
            const KernelSamples& samples,
            const std::set<KernelSpec>& wanted,
            const Communicator& world);

}  // namespace cnnplan
