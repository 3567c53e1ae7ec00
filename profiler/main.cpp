// cnnplan-profile: times the kernels and the links of this machine; run as `cnnplan profile`.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <unistd.h>

#include "executor/comm/communicator.hpp"
#include "planner/model/error.hpp"
#include "planner/model/file.hpp"
#include "profiler/kernel_profile.hpp"
#include "profiler/links_command.hpp"
#include "profiler/progress_bar.hpp"

namespace cnnplan {
namespace {

constexpr const char* footer = R"(KERNELS
  Every convolution, batch norm, pooling and element-wise kernel that any plan of the networks can
  need is timed, forward, backward data and backward filter apart, in the order and the buffers of a
  training step. What the profile file holds already is not timed again; the file is written after
  every schedule, so an interrupted profile goes on where it stopped. Start it under mpirun with as
  many ranks as the node will run: they share memory and clock, and the times say so.

LINKS
  --links times messages of 8 B to 64 MB, collectives, copies and reductions, and fits alpha, beta
  and gamma piecewise.

EXAMPLES
  mpirun -n 2 cnnplan profile --links                              writes platform.json
  mpirun -n 2 cnnplan profile resnet50.json --ranks 2 --batch 4    writes profile.json
  mpirun -n 2 cnnplan profile mesh-1k.json --input 512x512 --ranks 2 --batch 1

EXIT CODES
  0 ok   1 internal   2 usage   3 bad input   5 environment or launch   8 peer lost   9 I/O
)";

constexpr const char* default_network = "network.json";

struct Options {
  std::vector<std::string> networks;
  bool links = false;
  int ranks = 0;
  std::int64_t batch = 8;
  std::string input_size;
  std::vector<std::string> uniform;
  std::string backend = "onednn";
  std::string output_file;
  int repetitions = 12;
};

void add_options(CLI::App& app, Options& options) {
  app.add_option("networks", options.networks, "Network files; default: network.json");
  app.add_flag("--links", options.links, "Time links instead of kernels");
  app.add_option("-r,--ranks",
                 options.ranks,
                 "Ranks of the plans; default: those of mpirun, or one per core without it")
      ->check(CLI::Range(1, 1048576));
  app.add_option("-b,--batch", options.batch, "Samples per step, over all ranks")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31))
      ->capture_default_str();
  app.add_option(
      "-i,--input", options.input_size, "Image size HxW or DxHxW; default: the network's");
  app.add_option("--uniform",
                 options.uniform,
                 "Also time what solve --uniform MESH needs where the search would not split so");
  app.add_option("--backend", options.backend, "Kernels: onednn, reference")->capture_default_str();
  app.add_option("--repetitions", options.repetitions, "Timed repetitions of every kernel")
      ->check(CLI::Range(10, 1000))
      ->capture_default_str();
  app.add_option(
      "-o,--output", options.output_file, "Default: profile.json, with --links platform.json");
  app.footer(footer);
}

int default_ranks(const Communicator& world) {
  return world.size() > 1 ? world.size()
                          : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
}

ProfileRequest request_of(const Options& options, const Communicator& world) {
  ProfileRequest request{.ranks = options.ranks > 0 ? options.ranks : default_ranks(world),
                         .batch = options.batch};
  request.walk.repetitions = options.repetitions;
  const std::vector<std::string> files =
      options.networks.empty() ? std::vector<std::string>{default_network} : options.networks;
  for (const std::string& file : files) {
    const Network network = read_network(file);
    request.networks.push_back(options.input_size.empty()
                                   ? network
                                   : with_input_size(network, parse_size(options.input_size)));
  }
  for (const std::string& mesh : options.uniform) request.uniform.push_back(parse_mesh(mesh));
  return request;
}

// What is there already, if it is of this device.
Profile start_from(const std::string& file, const DeviceFingerprint& fingerprint) {
  Profile profile{.fingerprint = fingerprint};
  if (std::filesystem::exists(file)) merge(profile, read_profile(file), file);
  return profile;
}

void profile_command(const Options& options, const Communicator& world) {
  const std::string file = options.output_file.empty() ? "profile.json" : options.output_file;
  const ProfileRequest request = request_of(options, world);
  const std::unique_ptr<Backend> backend = make_backend(options.backend);
  backend->prepare_thread();
  DeviceFingerprint fingerprint = backend->fingerprint();
  fingerprint.busy_ranks = world.size();
  Profile profile = start_from(file, fingerprint);
  const std::size_t before = profile.kernels.size();
  ProgressBar bar(world.rank() == 0 && isatty(STDERR_FILENO) == 1);
  profile_kernels(
      request,
      *backend,
      world,
      profile,
      {.progress =
           [&](const ProfileProgress& p) {
             bar.show(p.passes, p.total_passes, std::to_string(p.kernels) + " kernels, " + p.what);
           },
       .save =
           [&](const Profile& p) {
             if (world.rank() == 0) write_file(file, to_json(p));
           }});
  if (world.rank() != 0) return;
  write_file(file, to_json(profile));
  std::printf("%zu kernels in %s, %zu of them timed now\n",
              profile.kernels.size(),
              file.c_str(),
              profile.kernels.size() - before);
}

int run(int argc, char** argv) {
  CLI::App app("cnnplan profile: time the kernels and links of this machine", "cnnplan profile");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(ExitCode::usage);
  }
  const MpiSession session(argc, argv);
  const Communicator world = Communicator::world();
  try {
    if (options.links) {
      links_command(options.output_file.empty() ? "platform.json" : options.output_file, world);
    } else {
      profile_command(options, world);
    }
    return static_cast<int>(ExitCode::ok);
  } catch (const InputError& error) {
    if (world.rank() == 0) std::cerr << "cnnplan profile: " << error.what() << std::endl;
    return static_cast<int>(error.exit_code());
  } catch (const Error& error) {
    std::cerr << "cnnplan profile: rank " << world.rank() << ": " << error.what() << std::endl;
    abort_all_ranks(static_cast<int>(error.exit_code()));
  } catch (const std::exception& error) {
    std::cerr << "cnnplan profile: rank " << world.rank() << ": internal error: " << error.what()
              << std::endl;
    abort_all_ranks(static_cast<int>(ExitCode::internal));
  }
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  try {
    return cnnplan::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "cnnplan profile: %s\n", error.what());
    return static_cast<int>(cnnplan::ExitCode::environment);
  }
}
