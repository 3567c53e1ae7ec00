// Profiles all kernels that any plan of a network can need.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "planner/search/candidates/unit_splits.hpp"
#include "profiler/kernel_walk.hpp"

namespace cnnplan {

// Says which kernels a profile is to have.
struct ProfileRequest {
  std::vector<Network> networks;
  int ranks = 1;           // of the plans of the networks
  std::int64_t batch = 1;  // global mini-batch of these plans
  Precision precision = Precision::fp32;
  std::vector<Axis> axes = search_axes();  // over which the search may split
  std::vector<Mesh> uniform;  // further plans: those of `solve --uniform` with these meshes
  std::vector<Plan> plans;    // further plans, with their own ranks, batch and precision
  WalkOptions walk;
};

// Says how far a profile is.
struct ProfileProgress {
  int passes = 0;  // done so far, without warm-up passes beyond WalkOptions::warmup
  int total_passes = 0;
  std::size_t kernels = 0;  // in the profile
  std::string what;         // what is walked: "resnet50 on n4, ranks 0 to 1 of 4"
};

// Every rank calls these functions while kernels are timed.
struct ProfileCallbacks {
  std::function<void(const ProfileProgress&)> progress;
  std::function<void(const Profile&)> save;  // after every schedule, so that a run can resume
  // Takes a sentence on something that went wrong on this rank without ending the profile; may be
  // empty.
  std::function<void(const std::string& text)> note = {};
};

// Times the kernels of the request that `profile` lacks, and adds them. It walks, for each split
// that some unit may take, the plan mostly_on() that split (unit_splits.hpp), and the further plans
// of the request. Under mpirun, the ranks of the program take consecutive ranks of the plan, after
// its last rank again the first, and walk at the same time. A schedule without missing kernels is
// not walked. It is collective and blocks. Returns the kernels that failed on all ranks that tried
// them, on every rank alike.
// @throws InfeasibleError on all ranks, before a schedule is walked that the node's memory cannot
// hold for every rank.
// @throws DeviceLostError on a rank whose device can run no other kernel.
// @throws EnvironmentError on a rank that has fewer cores than kernels to run at the same time.
// @throws as walk_kernels()
std::set<KernelSpec> profile_kernels(const ProfileRequest& request,
                                     Backend& backend,
                                     const Communicator& world,
                                     Profile& profile,
                                     const ProfileCallbacks& callbacks);

}  // namespace cnnplan
