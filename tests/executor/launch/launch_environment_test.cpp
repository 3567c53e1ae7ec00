// Tests which launches are recognised, and what is said of wrong ones.
#include "executor/launch/launch_environment.hpp"

#include <map>

#include <doctest/doctest.h>

#include "executor/launch/start_words.hpp"

namespace cnnplan::test {
namespace {

using Variables = std::map<std::string, std::string>;

LaunchEnvironment launch_with(const Variables& variables) {
  return launch_environment([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

const Variables job{{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}};

Variables step_with(const Variables& more) {
  Variables step{{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_STEP_NUM_TASKS", "4"}};
  step.insert(more.begin(), more.end());
  return step;
}

}  // namespace

TEST_CASE("launch environment: the launcher and its number of processes") {
  CHECK(launch_with({}) == LaunchEnvironment{});
  CHECK(launch_with(job) == LaunchEnvironment{.is_in_a_job = true});
  CHECK(launch_with(step_with({{"PMIX_RANK", "0"}})) ==
        LaunchEnvironment{
            .launcher = Launcher::srun, .processes = 4, .has_pmix = true, .is_in_a_job = true});
  CHECK(launch_with({{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}}) ==
        LaunchEnvironment{.launcher = Launcher::other, .processes = 3, .has_pmi = true});
  // mpirun in a job starts its ranks in a step of srun.
  const LaunchEnvironment both =
      launch_with(step_with({{"OMPI_COMM_WORLD_SIZE", "8"}, {"PMIX_RANK", "0"}}));
  CHECK(both.launcher == Launcher::mpirun);
  CHECK(both.processes == 8);
}

TEST_CASE("launch environment: srun without PMIx is refused with the right command") {
  const std::string problem = unconnected_problem(launch_with(step_with({})));
  CHECK(problem.find("srun started 4 processes without PMIx") == 0);
  CHECK(problem.find("\n    srun --mpi=pmix -n 4") != std::string::npos);
  CHECK(unconnected_problem(launch_with(step_with({{"PMIX_RANK", "0"}}))) == "");
  CHECK(unconnected_problem(launch_with(step_with({{"PMI_FD", "5"}}))) == "");
  CHECK(unconnected_problem(launch_with(job)) == "");
  CHECK(unconnected_problem(launch_with({{"SLURM_STEP_NUM_TASKS", "1"}})) == "");
}

TEST_CASE("launch environment: an older PMI gets a note, which PMIx does not") {
  CHECK_FALSE(old_pmi_note(launch_with(step_with({{"PMI_FD", "5"}}))).empty());
  CHECK(old_pmi_note(launch_with(step_with({{"PMI_FD", "5"}, {"PMIX_RANK", "0"}}))) == "");
  CHECK(old_pmi_note(launch_with({{"PMI_SIZE", "2"}, {"PMI_FD", "5"}})) == "");
}

TEST_CASE("launch environment: a rank that is alone among several processes") {
  const LaunchEnvironment other = launch_with({{"PMI_SIZE", "3"}});
  const std::string problem = lone_rank_problem(other, 1);
  CHECK(problem.find("the launcher started 3 processes, but MPI has one rank in each") == 0);
  CHECK(lone_rank_problem(other, 3) == "");
  CHECK(lone_rank_problem(launch_with({}), 1) == "");
  CHECK(lone_rank_problem(launch_with({{"PMI_SIZE", "1"}}), 1) == "");
  CHECK(lone_rank_problem(launch_with(step_with({})), 1).ends_with("srun --mpi=pmix -n 4"));
}

TEST_CASE("start words: the launcher of the user, else the launcher of the job") {
  CHECK(start_words(4, launch_with({})) == "mpirun -n 4");
  CHECK(start_words(4, launch_with(job)) == "srun --mpi=pmix -n 4");
  CHECK(start_words(4, launch_with(step_with({}))) == "srun --mpi=pmix -n 4");
  CHECK(start_words(4, launch_with(step_with({{"OMPI_COMM_WORLD_SIZE", "2"}}))) == "mpirun -n 4");
}

}  // namespace cnnplan::test
