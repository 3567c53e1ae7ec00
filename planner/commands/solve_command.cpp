// Reads files and options, searches for a plan, and writes it.
#include <algorithm>
#include <iostream>
#include <optional>
#include <thread>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/file_or_default.hpp"
#include "planner/import/network_source.hpp"
#include "planner/network/residual_chain.hpp"
#include "planner/plan/normalised_values.hpp"
#include "planner/plan/sample_blocks.hpp"
#include "planner/predict/predict.hpp"
#include "planner/report/advice.hpp"
#include "planner/report/explain.hpp"
#include "planner/report/table.hpp"
#include "planner/report/what_if_text.hpp"
#include "planner/schedule/rank_memory.hpp"
#include "planner/search/candidates/request_check.hpp"
#include "planner/search/plans/scores.hpp"
#include "planner/search/rivals.hpp"
#include "planner/summary/summary_text.hpp"
#include "planner/what_if/what_if.hpp"

namespace cnnplan {
namespace {

// Reads a file of the user once, for its content and for its digest.
struct ReadFile {
  std::string name;
  std::string text;

  explicit ReadFile(const std::string& file) : name(file), text(read_file(file)) {}
  InputFile as_input() const { return input_file(name, text); }
};

int default_ranks(const Platform& platform) {
  if (platform.measured && !platform.levels.empty()) return platform.levels.back().ranks_per_group;
  return std::max(1U, std::thread::hardware_concurrency());
}

// The device of a platform that was described by hand is only the beginning of the profile's
// device, which also has clock rates.
bool is_of_same_device(const Platform& platform, const Profile& profile) {
  if (profile.kernels.empty()) return true;
  const std::string& device = profile.fingerprint.device;
  const bool is_unknown = !platform.measured && platform.device == Platform{}.device;
  const bool is_same =
      platform.measured ? device == platform.device : device.starts_with(platform.device);
  return is_unknown || is_same;
}

// Refuses a profile and a platform of different devices, which would predict neither device.
void check_same_device(const Platform& platform, const Profile& profile, const std::string& file) {
  if (is_of_same_device(platform, profile)) return;
  throw InputError({.file = file,
                    .pointer = "/fingerprint/device",
                    .value = '"' + profile.fingerprint.device + '"',
                    .allowed = "the device of the platform, \"" + platform.device + '"'});
}

Network network_of(const ReadFile& file, const std::string& input_size) {
  std::vector<std::string> notes;
  Network network = parse_network_or_model(
      {.content = file.text, .file = file.name, .input_size = input_size}, notes);
  for (const std::string& note : notes) std::cerr << note << '\n';
  return network;
}

void read_profile_of(const SolveOptions& options,
                     SolveRequest& request,
                     std::vector<InputFile>& inputs) {
  const std::string name = file_or_default(options.profile_file, default_profile_file);
  if (name.empty()) return;
  const ReadFile file(name);
  Profile profile = parse_profile(file.text, name);
  // A platform that the user named has priority over a profile that only has the default name.
  const bool may_be_left = options.profile_file.empty() && !options.platform_file.empty();
  if (may_be_left && !is_of_same_device(request.platform, profile)) {
    std::cerr << name << " is not used: it was measured on \"" << profile.fingerprint.device
              << "\", the platform on \"" << request.platform.device << "\"\n";
    return;
  }
  check_same_device(request.platform, profile, name);
  request.profile = std::move(profile);
  inputs.push_back(file.as_input());
}

// The platform determines the number of ranks unless the user gives it.
void read_platform_of(const SolveOptions& options,
                      SolveRequest& request,
                      std::vector<InputFile>& inputs) {
  const std::string name = file_or_default(options.platform_file, default_platform_file);
  if (!name.empty()) {
    const ReadFile file(name);
    request.platform = parse_platform(file.text, name);
    inputs.push_back(file.as_input());
  }
  request.ranks = options.ranks > 0 ? options.ranks : default_ranks(request.platform);
  if (name.empty()) request.platform = default_platform(request.ranks);
}

void check_reductions(const SolveOptions& options) {
  if (!options.allreduce) return;
  const auto refuse = [&](const char* option, const char* allowed) {
    throw InputError({.file = option,
                      .pointer = "",
                      .value = "with --allreduce " + std::string(to_text(*options.allreduce)),
                      .allowed = allowed});
  };
  if (options.sharded_update && !has_halves(*options.allreduce)) {
    refuse("--sharded-update", "with ring or library, which have halves");
  }
  if (options.sample_blocks > 1 && !adds_as_a_tree(*options.allreduce)) {
    refuse("--reproducible", "with recursive_doubling or rabenseifner, which add as a tree");
  }
}

void read_sample_blocks(const SolveOptions& options, SolveRequest& request) {
  request.sample_blocks = options.sample_blocks;
  if (options.sample_blocks == 1) return;
  check_reproducible(request.network, request.batch, request.ranks, options.sample_blocks);
  request.statistics = BatchNormStatistics::global;
  request.uniform = sample_mesh(request.ranks);
}

SolveRequest request_of(const SolveOptions& options, std::vector<InputFile>& inputs) {
  const ReadFile network(options.network_file);
  SolveRequest request{.network = network_of(network, options.input_size)};
  inputs.push_back(network.as_input());
  read_platform_of(options, request, inputs);
  read_profile_of(options, request, inputs);
  request.batch = options.batch;
  request.precision = options.precision;
  request.overlap = options.overlap;
  request.only_profiled = options.strict;
  request.statistics = options.statistics;
  request.method = options.method;
  request.recompute = options.recompute;
  if (!options.allow.empty()) request.multigrid = options.multigrid;
  request.axes = parse_axes(options.axes);
  request.allreduce = options.allreduce;
  request.bucket_bytes = options.bucket_bytes;
  request.sharded_update = options.sharded_update;
  check_reductions(options);
  check_batch(request.network, request.batch, request.ranks);
  if (!options.uniform.empty()) {
    request.uniform = parse_uniform(request.network, request.batch, request.ranks, options.uniform);
  }
  read_sample_blocks(options, request);
  return request;
}

TypedOptions typed(const SolveOptions& options) {
  return {.network_file = options.network_file,
          .profile_file = options.profile_file,
          .uniform = options.uniform,
          .plan_file = options.output_file};
}

void refuse_estimates(const Plan& plan, const SolveRequest& request, const SolveOptions& options) {
  const std::string note = kernels_note(plan, request.platform, request.profile, typed(options));
  if (note.empty()) return;
  const bool needs_plan = has_kernels_of_plans_only(plan);
  const std::string advice = note + (needs_plan ? "; solve without --strict writes that plan" : "");
  if (options.profile_file.empty() && request.profile.kernels.empty()) {
    throw InputError(
        {.file = "--strict",
         .pointer = "",
         .value = "no profile: neither --profile nor a " + std::string(default_profile_file) +
                  " of this device here",
         .allowed =
             "a profile with all kernels of the plan; " +
             (needs_plan ? advice : "make one with: " + profile_advice(plan, typed(options)))});
  }
  throw InputError(
      {.file = file_or_default(options.profile_file, default_profile_file),
       .pointer = "/kernels",
       .value = "not all kernels of the plan",
       .allowed = "with --strict all of these, timed as the plan runs them: " + advice});
}

SolveRequest changed(SolveRequest request, const std::vector<std::string>& what_if) {
  for (const std::string& text : what_if) {
    apply(parse_what_if(text), request.platform, request.profile);
  }
  return request;
}

// The search scores only a few plans, so the existing plan may still be faster than its result.
Plan fastest_on(const SolveRequest& request, const Plan& kept) {
  Plan anew = solve(request);
  const bool is_faster = kept.prediction.step_s < anew.prediction.step_s &&
                         fits(kept.prediction.memory.total_bytes(), request.platform.memory_bytes);
  return is_faster ? kept : anew;
}

void print_what_if(const Plan& plan, const SolveRequest& other, const SolveOptions& options) {
  const KernelCosts kernels(other.profile, other.platform);
  const Plan kept = with_prediction(plan, PriceList(other.platform, kernels));
  const Plan after = fastest_on(other, kept);
  std::cout << to_text({.before = plan, .kept = kept, .after = after}, joined(options.what_if));
}

// Says why no chain can be split by layers, if the user allowed it.
void tell_unused_multigrid(const SolveRequest& request) {
  if (request.multigrid && residual_chains(request.network).empty()) {
    std::cerr << "no residual chain in this network: --allow multigrid changes nothing\n";
  } else if (const std::string advice = short_chain_advice(request); !advice.empty()) {
    std::cerr << "--allow multigrid changes nothing: " << advice << '\n';
  }
}

// Says which batch norm keeps a plan from being trained. Inference does not need its statistics.
void tell_untrainable(const Plan& plan) {
  const std::optional<LayerIndex> layer = single_value_norm(plan);
  if (!layer) return;
  const InputProblem problem = single_value_problem(plan, *layer, "");
  std::cerr << "cnnexec will not train with this plan: " << problem.value
            << "; needed: " << problem.allowed << '\n';
}

void require_own_output(const SolveOptions& options) {
  for (const std::string& input : {options.network_file,
                                   file_or_default(options.platform_file, default_platform_file),
                                   file_or_default(options.profile_file, default_profile_file)}) {
    require_other_file(options.output_file, input);
  }
}

}  // namespace

ExitCode solve_command(const SolveOptions& options) {
  std::vector<InputFile> inputs;
  const SolveRequest request = request_of(options, inputs);
  if (options.what_if.empty()) require_own_output(options);
  const SolveRequest other = changed(request, options.what_if);
  Solution solution = solution_of(request);
  const bool is_written = options.what_if.empty();
  Plan plan = is_written ? with_rivals(std::move(solution), request) : std::move(solution.plan);
  if (options.strict) refuse_estimates(plan, request, options);
  if (!options.what_if.empty()) {
    std::cerr << assumptions(plan, request.platform, request.profile, typed(options));
    print_what_if(plan, other, options);
    return ExitCode::ok;
  }
  tell_unused_multigrid(request);
  tell_untrainable(plan);
  plan.inputs = std::move(inputs);
  write_file(options.output_file, to_json(plan));
  std::cerr << assumptions(plan, request.platform, request.profile, typed(options));
  if (request.uniform) std::cerr << idle_note(plan);
  std::cout << to_text(summary_of(plan)) << '\n' << explain(plan, std::nullopt);
  std::cerr << "wrote " << options.output_file << "; run it with: mpirun -n " << plan.ranks
            << " cnnexec --strategy " << options.output_file << '\n';
  return ExitCode::ok;
}

}  // namespace cnnplan
