// Looks at this process's stderr, then at the stderr of mpirun.
#include "executor/comm/terminal.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace cnnplan {
namespace {

bool mpirun_writes_to_terminal() {
  std::error_code error;
  const std::filesystem::path link = "/proc/" + std::to_string(getppid()) + "/fd/2";
  const std::string target = std::filesystem::read_symlink(link, error).string();
  return !error && (target.starts_with("/dev/pts/") || target.starts_with("/dev/tty"));
}

}  // namespace

bool stderr_is_terminal() {
  if (isatty(STDERR_FILENO) == 1) return true;
  const bool started_by_mpirun = std::getenv("OMPI_COMM_WORLD_RANK") != nullptr;
  return started_by_mpirun && mpirun_writes_to_terminal();
}

bool is_first_process() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* const rank = std::getenv(name);
    if (rank != nullptr) return std::string_view(rank) == "0";
  }
  return true;
}

}  // namespace cnnplan
