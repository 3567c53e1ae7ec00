// Reads the files and options of solve, and checks that they belong together.
#include "planner/commands/solve_request.hpp"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/shipped_file.hpp"
#include "planner/commands/file_or_default.hpp"
#include "planner/import/network_source.hpp"
#include "planner/plan/sample_blocks.hpp"
#include "planner/platform/resized_platform.hpp"
#include "planner/platform/same_device.hpp"
#include "planner/search/candidates/request_check.hpp"

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

Network network_of(const ReadFile& file, const std::string& input_size) {
  std::vector<std::string> notes;
  Network network = parse_network_or_model(
      {.content = file.text, .file = file.name, .input_size = input_size}, notes);
  for (const std::string& note : notes) print_note(note);
  return network;
}

void read_profile_of(const SolveOptions& options, SolveRequest& request, SolveInputs& inputs) {
  const std::string name = file_or_default(options.profile_file, default_profile_file);
  if (name.empty()) return;
  const ReadFile file(name);
  Profile profile = parse_profile(file.text, name);
  // A platform that the user named has priority over a profile that only has the default name.
  const bool may_be_left = options.profile_file.empty() && !options.platform_file.empty();
  if (may_be_left && !is_of_same_device(request.platform, profile)) {
    print_note(name + " is not used: it was measured on \"" + profile.fingerprint.device +
               "\", the platform on \"" + request.platform.device + '"');
    return;
  }
  check_same_device(request.platform, profile, name);
  request.profile = std::move(profile);
  inputs.files.push_back(file.as_input());
}

// Changes the size of the platform from the file `name`. @pre it is the last of the files in
// `inputs`
void resize_platform(const SolveOptions& options,
                     const std::string& name,
                     SolveRequest& request,
                     SolveInputs& inputs) {
  if (name.empty()) {
    throw InputError(
        {.file = "--nodes",
         .pointer = "",
         .value = "no platform: neither --platform nor a platform.json",
         .allowed = "a platform with the links of nodes, such as --platform dgx-h100"});
  }
  const std::string before = request.platform.name;
  request.platform = resized(std::move(request.platform), options.nodes, options.ranks_per_node);
  request.ranks = options.nodes * options.ranks_per_node;
  if (request.platform.name == before) return;
  const std::filesystem::path plan = options.output_file;
  inputs.resized_platform_file = plan.parent_path() / (request.platform.name + ".json");
  inputs.files.back() = input_file(inputs.resized_platform_file, to_json(request.platform));
}

// The platform determines the number of ranks unless the user gives it.
void read_platform_of(const SolveOptions& options, SolveRequest& request, SolveInputs& inputs) {
  const std::string name = file_or_default(options.platform_file, default_platform_file);
  if (!name.empty()) {
    const ReadFile file(name);
    request.platform = parse_platform(file.text, name);
    inputs.files.push_back(file.as_input());
  }
  if (options.nodes > 0) return resize_platform(options, name, request, inputs);
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

}  // namespace

SolveRequest request_of(const SolveOptions& options, SolveInputs& inputs) {
  require_streams_once({options.network_file, options.platform_file, options.profile_file});
  const ReadFile network(file_or_shipped(options.network_file, shipped_networks));
  SolveRequest request{.network = network_of(network, options.input_size)};
  inputs.files.push_back(network.as_input());
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
  request.optimizer_state_bytes = options.optimizer_state_bytes;
  check_reductions(options);
  check_batch(request.network, request.batch, request.ranks);
  if (!options.uniform.empty()) {
    request.uniform = parse_uniform(request.network, request.batch, request.ranks, options.uniform);
  }
  read_sample_blocks(options, request);
  return request;
}

}  // namespace cnnplan
