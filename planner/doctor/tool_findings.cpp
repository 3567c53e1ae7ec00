// Searches PATH, and compares the flavour of mpirun with that of the MPI library.
#include "planner/doctor/tool_findings.hpp"

#include <array>
#include <sstream>
#include <string_view>

#include <unistd.h>

namespace cnnplan {
namespace {

struct Flavour {
  std::string_view name;   // at the begin of the library's version
  std::string_view words;  // in the version of its mpirun
};

constexpr std::array<Flavour, 3> flavours{
    {{"Open MPI", "Open MPI"}, {"MPICH", "HYDRA"}, {"Intel(R) MPI", "Intel(R) MPI"}}};

bool fits(std::string_view version, std::string_view library) {
  for (const Flavour& flavour : flavours) {
    if (library.starts_with(flavour.name)) {
      return version.find(flavour.words) != std::string_view::npos;
    }
  }
  return true;  // the library is unknown
}

}  // namespace

std::optional<std::string> program_in(const std::string& folders, const std::string& name) {
  std::istringstream list(folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    const std::string file = (folder.empty() ? "." : folder) + '/' + name;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return std::nullopt;
}

Finding mpirun_finding(const ChildResult& version, const std::string& library) {
  Finding finding{.part = "MPI", .name = "mpirun"};
  const std::string first = version.output.substr(0, version.output.find('\n'));
  if (version.end != ChildEnd::exited || version.code != 0 || first.empty()) {
    finding.state = FindingState::missing;
    finding.text = "is not in PATH, or does not answer: ranks cannot be started";
    finding.remedy = "sudo apt-get install openmpi-bin";
  } else if (!fits(version.output, library)) {
    finding.state = FindingState::missing;
    finding.text = first + " is not of " + library + ": ranks would not find each other";
    finding.remedy = "which -a mpirun";
  } else {
    finding.text = first;
  }
  return finding;
}

Finding simgrid_finding(const std::optional<std::string>& smpirun) {
  if (smpirun) return {.part = "planner", .name = "SimGrid", .text = *smpirun};
  return {.part = "planner",
          .name = "SimGrid",
          .state = FindingState::missing,
          .text = "smpirun is not in PATH, so cnnplan simulate replays nothing",
          .remedy = "sudo apt-get install libsimgrid-dev"};
}

}  // namespace cnnplan
