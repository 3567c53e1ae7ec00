// Tests the lines of a batch script, and which texts may be in them.
#include "planner/launch/batch_script.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

const Placement placement{.ranks = 16, .ranks_per_node = 8, .cores_per_rank = 4};

std::string script_of(const JobRequest& request, bool saves_state) {
  return batch_script(placement,
                      request,
                      {.launcher = {"srun", "--nodes=2"},
                       .program = {"cnnexec", "my plan.json"},
                       .saves_state = saves_state,
                       .description = "16 ranks.\nTwo nodes."});
}

}  // namespace

TEST_CASE("batch script: it asks for nodes and cores, and what the user wants") {
  const std::string script = script_of({.name = "unet",
                                        .partition = "gpu",
                                        .account = "me",
                                        .time = "8:00:00",
                                        .chdir = "/scratch/me",
                                        .signal_s = 300},
                                       true);
  CHECK(
      script.starts_with("#!/bin/bash\n# 16 ranks.\n# Two nodes.\n#SBATCH --job-name=unet\n"
                         "#SBATCH --partition=gpu\n#SBATCH --account=me\n#SBATCH --time=8:00:00\n"
                         "#SBATCH --chdir=/scratch/me\n#SBATCH --nodes=2\n#SBATCH "
                         "--ntasks=16\n#SBATCH --ntasks-per-node=8\n"
                         "#SBATCH --cpus-per-task=4\n"));
  CHECK(contains(script, "\n#SBATCH --signal=USR1@300\n#SBATCH --requeue\n"));
  CHECK(contains(script, "\nsrun --nodes=2 \\\n  cnnexec 'my plan.json'\ncode=$?\n"));
  CHECK(contains(script, "\nif [ \"$code\" -eq 75 ]; then\n  scontrol requeue"));
  CHECK_FALSE(contains(script, "gpus"));
}

TEST_CASE("batch script: what is not asked for has no line") {
  const std::string script = script_of({.name = "unet"}, false);
  for (const char* const part : {"partition", "account", "time=", "signal", "requeue"}) {
    CHECK_FALSE(contains(script, part));
  }
  CHECK(script.ends_with("  cnnexec 'my plan.json'\n"));
}

TEST_CASE("batch script: lines of Slurm hold plain words only") {
  CHECK(problem_of_job_word("gpu-a100,gpu_h100") == "");
  for (const char* const text : {"", "a b", "a\n#SBATCH --uid=0", "$HOME", "'a'"}) {
    CHECK_FALSE(problem_of_job_word(text).empty());
  }
  CHECK(job_name("my net\n2") == "my_net_2");
}

TEST_CASE("batch script: durations are those of Slurm") {
  for (const auto& [text, seconds] :
       std::vector<std::pair<const char*, std::int64_t>>{{"90", 5400},
                                                         {"90:01", 5401},
                                                         {"1:30:02", 5402},
                                                         {"2-12", 216000},
                                                         {"2-12:30", 217800},
                                                         {"2-12:30:05", 217805},
                                                         {"0", 0}}) {
    CHECK(duration_s(text) == seconds);
    CHECK(problem_of_duration(text) == "");
  }
  for (const char* const text :
       {"", "1h", "1:2:3:4", "1-2:3:4:5", "-1", "1-", ":30", "1.5", "1: 30", "9999999999"}) {
    CHECK_FALSE(problem_of_duration(text).empty());
  }
}

}  // namespace cnnplan::test
