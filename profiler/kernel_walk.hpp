// Times the kernels of a schedule as the executor runs them: in their order, in its buffers, with
// the cache as the kernels before left it, all ranks of the node busy. Communication is left out.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"
#include "planner/model/plan.hpp"
#include "planner/model/profile.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Seconds of each repetition, by canonical key. A kernel that occurs several times in the schedule
// gives one value per repetition: the mean over its occurrences.
struct KernelSamples {
  std::map<KernelSpec, std::vector<double>> seconds;
  std::map<KernelSpec, KernelTiming> properties;  // workspace and implementation only
};

struct WalkOptions {
  int repetitions = 12;
  int warmup = 2;  // at least this many, and 0.1 s
};

// Canonical keys of all kernels with work to do.
std::set<KernelSpec> kernels_of(const Schedule& schedule);

// Runs the kernels of `schedule` warmup + repetitions times. `after_pass` is called after each.
KernelSamples walk_kernels(const Schedule& schedule,
                           const Plan& plan,
                           Backend& backend,
                           const WalkOptions& options,
                           const std::function<void()>& after_pass);

// Adds what the ranks measured of `wanted` to `profile`, on every rank alike. Collective.
void record(Profile& profile,
            const KernelSamples& samples,
            const std::set<KernelSpec>& wanted,
            const Communicator& world);

}  // namespace cnnplan
