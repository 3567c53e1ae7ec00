// Reads the input files into a request, and writes the profile. Rank 0 shows the progress.
#include "profiler/profile_command.hpp"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <set>
#include <thread>

#include "executor/comm/node_memory.hpp"
#include "executor/comm/nodes.hpp"
#include "executor/comm/program.hpp"
#include "executor/comm/terminal.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/base/shipped_file.hpp"
#include "planner/base/writable_file.hpp"
#include "planner/import/network_source.hpp"
#include "planner/plan/planned_layers.hpp"
#include "planner/platform/same_device.hpp"
#include "planner/search/candidates/request_check.hpp"
#include "profiler/common_fingerprint.hpp"
#include "profiler/kernel_profile.hpp"
#include "profiler/progress_bar.hpp"
#include "profiler/step_overhead.hpp"

namespace cnnplan {
namespace {

int default_ranks(const Communicator& world, const Device& device) {
  if (world.size() > 1) return world.size();
  return device.is_host() ? static_cast<int>(std::max(1U, std::thread::hardware_concurrency()))
                          : device.devices_here();
}

// Returns a request for the kernels that a plan needs, and nothing else.
ProfileRequest request_of_plan(const ProfileOptions& options, const Communicator& world) {
  const std::string& file = options.missing_from;
  on_first_rank(world, [&] { require_plan_file(file); });
  Plan plan = parse_plan(read_shared_file(world, file), file);
  require_kernels(plan.network, file, "/network");
  return {.networks = {},
          .ranks = plan.ranks,
          .batch = plan.batch,
          .precision = plan.precision,
          .uniform = {},
          .plans = {std::move(plan)},
          .walk = {.repetitions = options.repetitions}};
}

// Builds the request from the options. The networks become inputs of `profile`.
ProfileRequest request_of(const ProfileOptions& options,
                          const Communicator& world,
                          const Device& device,
                          Profile& profile) {
  ProfileRequest request{.networks = {},
                         .ranks = options.ranks > 0 ? options.ranks : default_ranks(world, device),
                         .batch = options.batch,
                         .precision = options.precision,
                         .axes = parse_axes(options.axes),
                         .uniform = {},
                         .plans = {},
                         .walk = {.repetitions = options.repetitions}};
  on_first_rank(world, [&] { require_streams_once(options.networks); });
  for (const std::string& name : options.networks) {
    std::string file;
    on_first_rank(world, [&] { file = file_or_shipped(name, shipped_networks); });
    file = world.broadcast(file, 0);
    const std::string text = read_shared_file(world, file);
    std::vector<std::string> notes;
    request.networks.push_back(parse_network_or_model(
        {.content = text, .file = file, .input_size = options.input_size}, notes));
    require_kernels(request.networks.back(), file, "");
    for (const std::string& note : notes) {
      if (world.rank() == 0) print_note(note, message_style());
    }
    profile.inputs.push_back(input_file(file, text));
  }
  for (const Network& network : request.networks) {
    check_batch(network, request.batch, request.ranks);
  }
  for (const std::string& text : options.uniform) {
    const Network& network = request.networks.front();
    request.uniform.push_back(parse_uniform(network, request.batch, request.ranks, text));
  }
  return request;
}

bool exists_on_first_rank(const std::string& file, const Communicator& world) {
  bool exists = false;
  on_first_rank(world, [&] { exists = file_exists(file); });
  return world.broadcast(std::int64_t{exists}, 0) != 0;
}

// Checks that the plan of --missing-from was made for this device. If it was made for another one
// and the user named the backend, rank 0 only says so.
// @throws InputError on all ranks
void require_planned_device(const ProfileOptions& options,
                            const ProfileRequest& request,
                            const DeviceFingerprint& own,
                            const Communicator& world) {
  if (options.missing_from.empty()) return;
  const Plan& plan = request.plans.front();
  on_first_rank(world, [&] {
    const std::string model =
        other_model({.fingerprint = plan.device, .inputs = plan.inputs}, own.device);
    if (model.empty()) return;
    const std::string here = model_of(own.device);
    if (options.chose_backend) {
      print_note("cnnplan profile: note: " + options.missing_from + " is planned for " + model +
                     ", and these are times of " + here,
                 message_style());
      return;
    }
    throw InputError({.file = options.missing_from,
                      .pointer = plan.device.empty() ? "/inputs" : "/device",
                      .value = "a plan for " + model,
                      .allowed = "a plan for " + here + ", the device here; profile on " + model +
                                 ", or add --backend " + own.backend +
                                 " to time the kernels on this device all the same"});
  });
}

// Adds the kernels of the file to `profile`, if the file exists.
// @throws InputError when the file is of another device
void add_existing(const std::string& file, const Communicator& world, Profile& profile) {
  if (!exists_on_first_rank(file, world)) return;
  merge(profile, parse_profile(read_shared_file(world, file), file), file);
}

// Engines are named in a log alone. On a terminal, hundreds of lines would hide the progress.
std::function<void(const std::string& line)> engine_log() {
  if (stderr_is_terminal()) return {};
  return [](const std::string& line) {
    std::fputs((line + "\n").c_str(), stderr);
    std::fflush(stderr);
  };
}

void print_summary(std::size_t timed_now,
                   const Profile& profile,
                   const std::string& file,
                   const Communicator& world) {
  if (world.rank() != 0) return;
  std::printf("%zu kernels in %s, %zu of them timed now\n",
              profile.kernels.size(),
              file.c_str(),
              timed_now);
  std::fflush(stdout);  // before the error message, if one follows
}

// Checks that no kernel failed. @throws BackendError with the kernels that failed
void require_none(const std::set<KernelSpec>& failed, const std::string& file) {
  if (failed.empty()) return;
  std::string names;
  for (const KernelSpec& spec : failed) names += (names.empty() ? "" : ", ") + to_text(spec);
  throw BackendError(file + " holds all kernels except those that failed: " + names);
}

std::unique_ptr<Backend> backend_of(const ProfileOptions& options, const Communicator& world) {
  return make_backend(options.backend,
                      {.local_rank = find_nodes(world).rank_here,
                       .deterministic = options.deterministic,
                       .engine_trials = options.engine_trials,
                       .most_workspace_bytes = options.most_workspace_bytes,
                       .clock_warmup_s = usual_clock_warmup_s,
                       .note = engine_log()});
}

}  // namespace

void profile_command(const ProfileOptions& options, const Communicator& world) {
  const std::string& file = options.output_file;
  on_first_rank(world, [&] { require_replaceable_file(file); });
  Profile profile;
  const std::unique_ptr<Backend> backend = backend_of(options, world);
  const ProfileRequest request = options.missing_from.empty()
                                     ? request_of(options, world, backend->device(), profile)
                                     : request_of_plan(options, world);
  require_precision(*backend, request.precision);
  require_speed(world, backend->device());
  backend->prepare_thread();
  profile.fingerprint = common_fingerprint(
      backend->fingerprint(), most_ranks_on_a_device(world, backend->device()), world);
  require_planned_device(options, request, profile.fingerprint, world);
  add_existing(file, world, profile);
  const std::size_t before = profile.kernels.size();
  const auto save = [&](const Profile& current) {
    on_first_rank(world, [&] { write_file(file, to_json(current)); });
  };
  ProgressBar bar(world.rank() == 0, stderr_is_terminal(), message_style().columns);
  const auto show = [&bar](const ProfileProgress& progress) {
    bar.show(progress.passes,
             progress.total_passes,
             std::to_string(progress.kernels) + " kernels, " + progress.what);
  };
  const auto note = [&bar, &world](const std::string& text) {
    bar.end_line();
    const std::string rank = "cnnplan profile: rank " + std::to_string(world.rank()) + ": ";
    print_note(rank + text, message_style());
  };
  const std::set<KernelSpec> failed = profile_kernels(
      request, *backend, world, profile, {.progress = show, .save = save, .note = note});
  if (profile.step_overhead_s == 0.0) profile.step_overhead_s = step_overhead_s(*backend, world);
  save(profile);
  bar.end_line();
  print_summary(profile.kernels.size() - before, profile, file, world);
  require_none(failed, file);
}

}  // namespace cnnplan
