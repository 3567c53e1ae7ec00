// Which schedules to walk, and walking them.
#include "profiler/kernel_profile.hpp"

#include <algorithm>

#include "planner/search/unit_meshes.hpp"

namespace cnnplan {
namespace {

// One schedule per rank of the program, walked at once.
struct Round {
  Plan plan;
  std::string what;
  int first_rank = 0;            // of the plan; rank i of the program walks first_rank + i
  std::set<KernelSpec> missing;  // of all ranks of the round
};

int plan_rank(const Round& round, int program_rank) {
  return (round.first_rank + program_rank) % round.plan.ranks;
}

std::set<KernelSpec> missing_of(const Round& round,
                                int program_size,
                                const std::set<KernelSpec>& known) {
  std::set<KernelSpec> missing;
  for (int i = 0; i < std::min(program_size, round.plan.ranks); ++i) {
    for (const KernelSpec& spec : kernels_of(lower(round.plan, plan_rank(round, i)))) {
      if (!known.contains(spec)) missing.insert(spec);
    }
  }
  return missing;
}

// Rounds that together time every missing kernel once. Every rank computes the same list.
std::vector<Round> rounds_of(const ProfileRequest& request,
                             int program_size,
                             const Profile& profile) {
  std::set<KernelSpec> known;
  for (const auto& [spec, timing] : profile.kernels) known.insert(spec);
  std::vector<Round> rounds;
  for (const Network& network : request.networks) {
    const Plan blank = uniform_plan(network, request.batch, Mesh({{Axis::r, request.ranks}}));
    std::vector<Plan> plans = covering_plans(blank);
    for (const Mesh& mesh : request.uniform) {
      plans.push_back(mostly_on(blank, mesh_choices(blank), mesh));
    }
    for (const Plan& plan : plans) {
      for (int first = 0; first < request.ranks; first += program_size) {
        Round round{.plan = plan, .first_rank = first};
        round.missing = missing_of(round, program_size, known);
        if (round.missing.empty()) continue;
        known.insert(round.missing.begin(), round.missing.end());
        round.what = network.name() + ", ranks from " + std::to_string(first);
        rounds.push_back(std::move(round));
      }
    }
  }
  return rounds;
}

}  // namespace

void profile_kernels(const ProfileRequest& request,
                     Backend& backend,
                     const Communicator& world,
                     Profile& profile,
                     const ProfileCallbacks& callbacks) {
  const std::vector<Round> rounds = rounds_of(request, world.size(), profile);
  ProfileProgress progress;
  progress.total_passes =
      static_cast<int>(rounds.size()) * (request.walk.warmup + request.walk.repetitions);
  for (const Round& round : rounds) {
    progress.what = round.what;
    const auto after_pass = [&] {
      ++progress.passes;
      progress.kernels = profile.kernels.size();
      callbacks.progress(progress);
    };
    std::vector<Schedule> schedules;  // of all ranks of the program
    for (int i = 0; i < world.size(); ++i) {
      schedules.push_back(lower(round.plan, plan_rank(round, i)));
    }
    const Walk walk{.schedule = schedules[static_cast<std::size_t>(world.rank())],
                    .plan = round.plan,
                    .meetings = common_communication(schedules)};
    const KernelSamples samples = walk_kernels(walk, backend, world, request.walk, after_pass);
    record(profile, samples, round.missing, world);
    callbacks.save(profile);
  }
}

}  // namespace cnnplan
