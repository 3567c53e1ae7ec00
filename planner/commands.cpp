// Files in, values through the library, text and files out.
#include "planner/commands.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <thread>

#include <unistd.h>

#include "planner/model/error.hpp"
#include "planner/model/file.hpp"
#include "planner/model/run.hpp"
#include "planner/model/schema_kind.hpp"
#include "planner/report/compare.hpp"
#include "planner/report/explain.hpp"

namespace cnnplan {
namespace {

InputFile input_file(const std::string& file) {
  return {.file = base_name(file), .sha256 = sha256(read_file(file))};
}

// The file that the user named, the default where it exists, or none.
std::string chosen_file(const std::string& named, const std::string& standard) {
  if (!named.empty()) return named;
  return std::filesystem::exists(standard) ? standard : "";
}

int default_ranks(const Platform& platform) {
  if (platform.measured && !platform.levels.empty()) return platform.levels.back().ranks_per_group;
  return static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

// A profile and a platform of different devices would predict neither.
void check_same_device(const Platform& platform, const Profile& profile, const std::string& file) {
  if (!platform.measured || profile.kernels.empty()) return;
  if (platform.device == profile.fingerprint.device) return;
  throw InputError({.file = file,
                    .pointer = "/fingerprint/device",
                    .value = '"' + profile.fingerprint.device + '"',
                    .allowed = "the device of the platform, \"" + platform.device + '"'});
}

SolveRequest request_of(const SolveOptions& options, std::vector<InputFile>& inputs) {
  SolveRequest request{.network = read_network_at(options.network_file, options.input_size)};
  inputs.push_back(input_file(options.network_file));
  const std::string platform_file = chosen_file(options.platform_file, "platform.json");
  if (!platform_file.empty()) {
    request.platform = read_platform(platform_file);
    inputs.push_back(input_file(platform_file));
  }
  request.ranks = options.ranks > 0 ? options.ranks : default_ranks(request.platform);
  if (platform_file.empty()) request.platform = default_platform(request.ranks);
  const std::string profile_file = chosen_file(options.profile_file, "profile.json");
  if (!profile_file.empty()) {
    request.profile = read_profile(profile_file);
    inputs.push_back(input_file(profile_file));
    check_same_device(request.platform, request.profile, profile_file);
  }
  request.batch = options.batch;
  request.statistics = options.statistics;
  request.method = options.method;
  if (!options.uniform.empty()) request.uniform = parse_mesh(options.uniform);
  return request;
}

void refuse_estimates(const Plan& plan) {
  if (plan.prediction.estimated_kernels.empty()) return;
  throw InputError(
      {.file = "profile",
       .pointer = "/kernels",
       .value = std::to_string(plan.prediction.estimated_kernels.size()) +
                " kernels of the plan are missing, the first is " +
                plan.prediction.estimated_kernels.front(),
       .allowed = "with --strict, a profile that holds every kernel: run cnnplan profile"});
}

void say_what_was_assumed(const SolveRequest& request, const Plan& plan) {
  if (!request.platform.measured) {
    std::cerr << "links: assumed figures; measure them with: mpirun -n " << request.ranks
              << " cnnplan profile --links\n";
  }
  if (!plan.prediction.estimated_kernels.empty()) {
    std::cerr << plan.prediction.estimated_kernels.size()
              << " kernels: estimated; measure them with: mpirun -n " << request.ranks
              << " cnnplan profile NETWORK --ranks " << request.ranks << " --batch "
              << request.batch << '\n';
  }
}

}  // namespace

Network read_network_at(const std::string& file, const std::string& input_size) {
  const Network network = read_network(file);
  return input_size.empty() ? network : with_input_size(network, parse_size(input_size));
}

ExitCode solve_command(const SolveOptions& options) {
  std::vector<InputFile> inputs;
  const SolveRequest request = request_of(options, inputs);
  Plan plan = solve(request);
  plan.inputs = std::move(inputs);
  if (options.strict) refuse_estimates(plan);
  write_file(options.output_file, to_json(plan));
  say_what_was_assumed(request, plan);
  std::cout << explain(plan, std::nullopt);
  std::cerr << "wrote " << options.output_file << "; run it with: mpirun -n " << plan.ranks
            << " cnnexec --strategy " << options.output_file << '\n';
  return ExitCode::ok;
}

ExitCode explain_command(const ExplainOptions& options) {
  const Plan plan = read_plan(options.plan_file);
  std::cout << explain(plan, options.layer.empty() ? std::nullopt : std::optional(options.layer));
  return ExitCode::ok;
}

ExitCode compare_command(const CompareOptions& options) {
  const Comparison comparison = compare(read_plan(options.plan_file), read_run(options.run_file));
  std::cout << to_text(comparison);
  if (comparison.step.error() <= options.max_error) return ExitCode::ok;
  std::cerr << "the predicted step is " << 100.0 * comparison.step.error()
            << " % off the measured one; allowed: " << 100.0 * options.max_error << " %\n";
  return ExitCode::prediction_outside_limit;
}

ExitCode check_command(const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    const std::string text = read_file(file);
    switch (schema_kind(text, file)) {
      case SchemaKind::network:
        parse_network(text, file);
        break;
      case SchemaKind::platform:
        parse_platform(text, file);
        break;
      case SchemaKind::profile:
        parse_profile(text, file);
        break;
      case SchemaKind::plan:
        parse_plan(text, file);
        break;
      case SchemaKind::run:
        parse_run(text, file);
        break;
    }
    std::cout << file << ": right\n";
  }
  return ExitCode::ok;
}

void profile_command(const std::vector<std::string>& arguments) {
  const std::string profiler =
      std::filesystem::read_symlink("/proc/self/exe").replace_filename("cnnplan-profile").string();
  std::vector<std::string> words{profiler};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  execv(profiler.c_str(), pointers.data());
  throw EnvironmentError(profiler +
                         ": not there; the profiler is built where MPI, parallel HDF5 and " +
                         "Eigen are found");
}

}  // namespace cnnplan
