// Profiles all kernels that any plan of a network can need.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/search/unit_splits.hpp"
#include "profiler/kernel_walk.hpp"

namespace cnnplan {

struct ProfileRequest {
  std::vector<Network> networks;
  int ranks = 1;
  std::int64_t batch = 1;
  Precision precision = Precision::fp32;
  std::vector<Axis> axes = search_axes();  // over which the search may split
  std::vector<Mesh> uniform;  // further plans: each of these meshes on all layers that admit it
  std::vector<Plan> plans;    // and these, whatever the rest of the request says
  WalkOptions walk;
};

struct ProfileProgress {
  int passes = 0;  // done, of all
  int total_passes = 0;
  std::size_t kernels = 0;  // in the profile
  std::string what;         // "resnet50 on n2, rank 0 of 2"; "ranks 0 to 1" walked at once
};

struct ProfileCallbacks {
  std::function<void(const ProfileProgress&)> progress;
  std::function<void(const Profile&)> save;  // after every schedule: where to resume from
};

// Adds to `profile` the kernels it lacks. The schedules walked are those of the covering plans
// (search/unit_splits); started under mpirun, the ranks of the program take different ranks of the
// plan and walk at the same time. A schedule without missing kernels is not walked. Collective.
// @throws InfeasibleError on all ranks, before a schedule is walked that the node's memory cannot
// hold for every rank
void profile_kernels(const ProfileRequest& request,
                     Backend& backend,
                     const Communicator& world,
                     Profile& profile,
                     const ProfileCallbacks& callbacks);

}  // namespace cnnplan
