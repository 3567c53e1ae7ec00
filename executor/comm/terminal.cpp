// Looks at this process's stderr, then at the stderr of mpirun.
#include "executor/comm/terminal.hpp"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace cnnplan {
namespace {

// Returns the terminal that mpirun writes to. It is empty without mpirun, or if mpirun writes
// elsewhere.
std::string terminal_of_mpirun() {
  if (std::getenv("OMPI_COMM_WORLD_RANK") == nullptr) return {};
  std::error_code error;
  const std::filesystem::path link = "/proc/" + std::to_string(getppid()) + "/fd/2";
  std::string target = std::filesystem::read_symlink(link, error).string();
  const bool is_terminal = target.starts_with("/dev/pts/") || target.starts_with("/dev/tty");
  return error || !is_terminal ? "" : target;
}

// A terminal that this process may not open has unknown columns.
OutputFacts facts_of(const std::string& terminal) {
  const int opened = ::open(terminal.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
  OutputFacts facts = output_facts(opened);
  if (opened >= 0) ::close(opened);
  facts.is_terminal = true;
  return facts;
}

}  // namespace

bool stderr_is_terminal() {
  return isatty(STDERR_FILENO) == 1 || !terminal_of_mpirun().empty();
}

MessageStyle message_style() {
  if (isatty(STDERR_FILENO) == 1) return style_of(output_facts(STDERR_FILENO));
  const std::string terminal = terminal_of_mpirun();
  if (!terminal.empty()) return style_of(facts_of(terminal));
  return {.columns = std::string::npos, .has_colours = false};
}

bool is_first_process() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    const char* const rank = std::getenv(name);
    if (rank != nullptr) return std::string_view(rank) == "0";
  }
  return true;
}

}  // namespace cnnplan
