// Writes the options of both launchers.
#include "planner/launch/launch_words.hpp"

#include "planner/base/message.hpp"

namespace cnnplan {
namespace {

// Without this variable, kernels have one thread. Sites often set it to another number.
std::string threads_variable(const Placement& placement) {
  return "OMP_NUM_THREADS=" + std::to_string(placement.threads_per_rank);
}

}  // namespace

std::vector<std::string> srun_words(const Placement& placement,
                                    const std::string& mpi_type,
                                    const std::string& chdir) {
  std::vector<std::string> words{"srun",
                                 "--mpi=" + mpi_type,
                                 "--nodes=" + std::to_string(placement.nodes()),
                                 "--ntasks=" + std::to_string(placement.ranks),
                                 "--ntasks-per-node=" + std::to_string(placement.ranks_per_node),
                                 "--cpus-per-task=" + std::to_string(placement.cores_per_rank),
                                 "--distribution=block:block",
                                 "--cpu-bind=cores",
                                 "--wait=" + std::to_string(wait_for_ranks_s)};
  if (!chdir.empty()) words.push_back("--chdir=" + chdir);
  if (placement.gpus_per_node > 0) {
    words.push_back("--gpus-per-node=" + std::to_string(placement.gpus_per_node));
    words.emplace_back("--gpu-bind=none");
  } else {
    words.push_back("--export=ALL," + threads_variable(placement));
  }
  return words;
}

std::vector<std::string> mpirun_words(const Placement& placement,
                                      const std::string& hostfile,
                                      const std::string& chdir) {
  std::vector<std::string> words{"mpirun", "-n", std::to_string(placement.ranks)};
  if (!hostfile.empty()) words.insert(words.end(), {"--hostfile", hostfile});
  if (!chdir.empty()) words.insert(words.end(), {"--wdir", chdir});
  const std::string cores = std::to_string(placement.cores_per_rank);
  words.insert(words.end(),
               {"--map-by",
                "ppr:" + std::to_string(placement.ranks_per_node) + ":node:PE=" + cores,
                "--bind-to",
                "core"});
  if (placement.gpus_per_node == 0) {
    words.insert(words.end(), {"-x", threads_variable(placement)});
  }
  return words;
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string command;
  for (const std::string& word : words) {
    if (!command.empty()) command += ' ';
    command += shell_word(word);
  }
  return command;
}

}  // namespace cnnplan
