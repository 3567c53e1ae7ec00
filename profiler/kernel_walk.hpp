// Times the kernels of a schedule as the executor runs them: in their order, in its buffers, with
// the cache as the operations before left it, all ranks of the node busy. With fewer or more ranks
// than the plan has, communication is left out, but ranks wait for each other where it would make
// them: kernels that the executor runs at the same time on all ranks, and that therefore share the
// memory's bandwidth, do so here.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
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
  std::map<KernelSpec, std::vector<double>> occurrences_s;  // one by one
  std::map<KernelSpec, KernelTiming> properties;            // workspace and implementation only
};

struct WalkOptions {
  int repetitions = 12;
  int warmup = 2;  // at least this many, and 0.1 s
};

// Canonical keys of all kernels with work to do.
std::set<KernelSpec> kernels_of(const Schedule& schedule);

// What one rank of the program walks; `schedule` is a schedule of `plan`. Borrows both.
struct Walk {
  const Schedule& schedule;
  const Plan& plan;
  // Ids of operations before which all ranks wait for each other where communication is left out.
  std::set<std::string> meetings;
};

// Ids of what communicates in all schedules.
std::set<std::string> common_communication(std::span<const Schedule> schedules);

// Runs the kernels of a schedule warmup + repetitions times. `after_pass` is called after each.
// Collective over `world`: every rank walks a schedule that has all meetings.
KernelSamples walk_kernels(const Walk& walk,
                           Backend& backend,
                           const Communicator& world,
                           const WalkOptions& options,
                           const std::function<void()>& after_pass);

// Adds what the ranks measured of `wanted` to `profile`, on every rank alike. Collective.
void record(Profile& profile,
            const KernelSamples& samples,
            const std::set<KernelSpec>& wanted,
            const Communicator& world);

}  // namespace cnnplan
