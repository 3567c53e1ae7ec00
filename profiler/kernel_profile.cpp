// Chooses the schedules that have missing kernels, and walks them.
#include "profiler/kernel_profile.hpp"

#include <algorithm>
#include <optional>

#include "executor/comm/node_memory.hpp"
#include "executor/step/bound_cores.hpp"
#include "planner/base/error.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/search/candidates/unit_splits.hpp"

namespace cnnplan {
namespace {

// A round has one schedule per rank of the program. The ranks walk them at the same time.
struct Round {
  Plan plan;
  std::string what;
  int first_rank = 0;            // a rank of the plan; rank i of the program walks first_rank + i
  std::set<KernelSpec> missing;  // is the union over the ranks of the round
};

int plan_rank(const Round& round, int program_rank) {
  return (round.first_rank + program_rank) % round.plan.ranks;
}

// Returns the schedules that the first `count` ranks of the program walk.
std::vector<Schedule> schedules_of(const Round& round, int count) {
  std::vector<int> ranks;
  for (int i = 0; i < count; ++i) ranks.push_back(plan_rank(round, i));
  return lower(round.plan, ranks);
}

std::set<KernelSpec> missing_of(const Round& round,
                                int program_size,
                                const std::set<KernelSpec>& known) {
  std::set<KernelSpec> missing;
  for (const Schedule& schedule : schedules_of(round, std::min(program_size, round.plan.ranks))) {
    for (const KernelSpec& spec : kernels_of(schedule)) {
      if (!known.contains(spec)) missing.insert(spec);
    }
  }
  return missing;
}

// Returns a text such as "resnet50 on n4, ranks 0 to 1 of 4".
std::string description(const Plan& plan, const std::string& split, int first, int program_size) {
  const int last = std::min(first + program_size, plan.ranks) - 1;
  const std::string ranks = first == last
                                ? "rank " + std::to_string(first)
                                : "ranks " + std::to_string(first) + " to " + std::to_string(last);
  return plan.network.name() + " on " + split + ", " + ranks + " of " + std::to_string(plan.ranks);
}

// Collects rounds that together time every kernel once that is not known yet.
class Rounds {
 public:
  Rounds(int program_size, const Profile& profile) : program_size_(program_size) {
    for (const auto& [spec, timing] : profile.kernels) known_.insert(spec);
  }

  void add(const Plan& plan, const std::string& split) {
    for (int first = 0; first < plan.ranks; first += program_size_) {
      Round round{.plan = plan,
                  .what = description(plan, split, first, program_size_),
                  .first_rank = first,
                  .missing = {}};
      round.missing = missing_of(round, program_size_, known_);
      if (round.missing.empty()) continue;
      known_.insert(round.missing.begin(), round.missing.end());
      rounds_.push_back(std::move(round));
    }
  }
  std::vector<Round> list() && { return std::move(rounds_); }

 private:
  int program_size_;
  std::set<KernelSpec> known_;
  std::vector<Round> rounds_;
};

// Returns the rounds of the whole profile. Every rank computes the same list.
std::vector<Round> rounds_of(const ProfileRequest& request,
                             int program_size,
                             const Profile& profile) {
  Rounds rounds(program_size, profile);
  for (const Network& network : request.networks) {
    Plan blank = uniform_plan(network, request.batch, Mesh({{Axis::r, request.ranks}}));
    blank.precision = request.precision;
    const SplitChoices choices = split_choices(blank, request.axes);
    for (const Split& split : all_splits(choices)) {
      rounds.add(mostly_on(blank, choices, split), to_text(split));
    }
    for (const Mesh& mesh : request.uniform) rounds.add(mostly_on(blank, mesh), to_text(mesh));
  }
  for (const Plan& plan : request.plans) rounds.add(plan, "its plan");
  return std::move(rounds).list();
}

// Checks that kernels to be timed at the same time have enough cores.
// @throws EnvironmentError when they would take turns
void require_cores(const Round& round, const Schedule& own, const Device& device) {
  const bool has_pairs = std::any_of(round.missing.begin(),
                                     round.missing.end(),
                                     [](const KernelSpec& spec) { return spec.concurrency > 1; });
  const std::optional<std::string> few = few_cores(own.lanes, device);
  if (has_pairs && few) throw EnvironmentError(*few);
}

// Walks the kernels of a round. @throws DeviceLostError naming the round
KernelSamples samples_of(const Walk& walk,
                         const Round& round,
                         Backend& backend,
                         const Communicator& world,
                         const WalkOptions& options,
                         const WalkCallbacks& callbacks) {
  try {
    return walk_kernels(walk, backend, world, options, callbacks);
  } catch (const DeviceLostError& error) {
    throw DeviceLostError(round.what + ": " + error.what(), error.culprit());
  }
}

}  // namespace

std::set<KernelSpec> profile_kernels(const ProfileRequest& request,
                                     Backend& backend,
                                     const Communicator& world,
                                     Profile& profile,
                                     const ProfileCallbacks& callbacks) {
  const std::vector<Round> rounds = rounds_of(request, world.size(), profile);
  std::set<KernelSpec> failed;
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
    const std::vector<Schedule> schedules = schedules_of(round, world.size());
    const Schedule& own = schedules[world.rank()];
    require_cores(round, own, backend.device());
    const MemoryUse memory = memory_of(own, {.device = kind_of(backend.device())});
    require_memory(memory.total_bytes(), round.what, world, backend.device());
    const Walk walk{
        .schedule = own, .plan = round.plan, .meetings = common_communication(schedules)};
    const auto note = [&](const std::string& text) {
      if (callbacks.note) callbacks.note(round.what + ": " + text);
    };
    const KernelSamples samples = samples_of(
        walk, round, backend, world, request.walk, {.after_pass = after_pass, .note = note});
    record(profile, samples, round.missing, world);
    for (const KernelSpec& spec : round.missing) {
      if (!profile.kernels.contains(spec)) failed.insert(spec);
    }
    callbacks.save(profile);
  }
  return failed;
}

}  // namespace cnnplan
