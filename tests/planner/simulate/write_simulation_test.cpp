// Tests the files that are written for SimGrid. tests/cli/simulate_test runs SimGrid itself.
#include <filesystem>

#include <doctest/doctest.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/simulate/replay.hpp"
#include "tests/planner/simulate/two_nodes.hpp"

namespace cnnplan::test {
namespace {

// Names a folder of its own, and removes it at the end.
struct Scratch {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("cnnplan-simulate-" + std::to_string(getpid()));
  ~Scratch() { std::filesystem::remove_all(path); }
};

Traces two_ranks_with_overlap() {
  Traces traces{.ranks = 2};
  for (int process = 0; process < 6; ++process) traces.processes.emplace_back(process);
  return traces;
}

}  // namespace

TEST_CASE("Simulation files: a host and a trace for every process") {
  const Scratch scratch;
  const std::string folder = scratch.path / "a/b";
  write_simulation(folder, two_nodes(2), two_ranks_with_overlap());
  CHECK(read_file(folder + "/hosts") == "rank-0\nrank-1\nrank-0\nrank-1\nrank-0\nrank-1\n");
  CHECK(read_file(folder + "/traces") == "trace-0\ntrace-1\ntrace-2\ntrace-3\ntrace-4\ntrace-5\n");
  CHECK(read_file(folder + "/trace-5") == "5 init\n5 finalize\n");
  CHECK(read_file(folder + "/platform.xml").rfind("<?xml", 0) == 0);
}

TEST_CASE("Simulation files: a file in the place of the folder") {
  const Scratch scratch;
  std::filesystem::create_directories(scratch.path);
  const std::string file = scratch.path / "file";
  write_file(file, "");
  CHECK_THROWS_AS(write_simulation(file, two_nodes(2), two_ranks_with_overlap()), IoError);
}

}  // namespace cnnplan::test
