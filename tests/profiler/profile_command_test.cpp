// Tests that a profile that ended early is continued from its file.
#include "profiler/profile_command.hpp"

#include <string>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/network/network.hpp"
#include "tests/executor/hdf5/hdf5_fixture.hpp"

namespace cnnplan {
namespace {

// Writes a file once, and returns its path. This call is collective.
std::string written(const Communicator& world,
                    const SharedFolder& folder,
                    const std::string& name,
                    const std::string& content) {
  std::string path = folder.path(name);
  if (world.rank() == 0) write_file(path, content);
  world.barrier();
  return path;
}

std::string network_of(const std::string& name, std::int64_t height_and_width) {
  Convolution convolution{.filters = 3};
  convolution.window.dims[1] = {.kernel = 3, .padding_begin = 1, .padding_end = 1};
  convolution.window.dims[2] = convolution.window.dims[1];
  const Input input{.channels = 2, .size = {1, height_and_width, height_and_width}};
  return to_json(Network(name,
                         {{"data", {}, input},
                          {"conv", {"data"}, convolution},
                          {"pool", {"conv"}, GlobalPooling{}},
                          {"fc", {"pool"}, FullyConnected{.outputs = 4}},
                          {"loss", {"fc"}, SoftmaxCrossEntropy{}}}));
}

constexpr std::int64_t no_memory_holds_it = std::int64_t{1} << 20;

}  // namespace

TEST_CASE("profile_command: a run keeps what an earlier one timed until it failed, bit for bit") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const std::string small = written(world, folder, "small.json", network_of("small", 6));
  const std::string other = written(world, folder, "other.json", network_of("other", 8));
  const std::string huge =
      written(world, folder, "huge.json", network_of("huge", no_memory_holds_it));
  ProfileOptions options{.networks = {small, huge},
                         .ranks = 1,
                         .batch = 2,
                         .uniform = {},
                         .backend = "reference",
                         .repetitions = 2,
                         .output_file = folder.path("profile.json")};
  CHECK_THROWS_AS(profile_command(options, world), InfeasibleError);
  const Profile kept = read_profile(options.output_file);
  REQUIRE_FALSE(kept.kernels.empty());
  options.networks = {small, other};
  profile_command(options, world);
  const Profile whole = read_profile(options.output_file);
  CHECK(whole.kernels.size() > kept.kernels.size());
  for (const auto& [spec, timing] : kept.kernels) CHECK(whole.kernels.at(spec) == timing);
  profile_command(options, world);
  CHECK(read_profile(options.output_file).kernels == whole.kernels);
}

TEST_CASE("profile_command: the file of another device is refused and stays as it is") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const ProfileOptions options{
      .networks = {written(world, folder, "small.json", network_of("small", 6))},
      .ranks = 1,
      .batch = 2,
      .uniform = {},
      .backend = "reference",
      .repetitions = 2,
      .output_file = folder.path("profile.json")};
  profile_command(options, world);
  Profile foreign = read_profile(options.output_file);
  foreign.fingerprint.device = "another CPU";
  const std::string file = written(world, folder, "profile.json", to_json(foreign));
  CHECK_THROWS_AS(profile_command(options, world), InputError);
  CHECK(read_file(file) == to_json(foreign));
}

}  // namespace cnnplan
