// Asks the MPI library for its version and level of threads, and PMIx for its version.
#include "executor/doctor/mpi_findings.hpp"

#include <array>
#include <string>

#include <dlfcn.h>
#include <mpi.h>

#include "executor/comm/communicator.hpp"
#include "executor/comm/cuda_aware.hpp"
#include "planner/doctor/tool_findings.hpp"

namespace cnnplan {
namespace {

constexpr const char* part = "MPI";

// Returns the text up to its first comma or line break: "Open MPI v4.1.4".
std::string library_text() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string version(text.data(), length);
  return version.substr(0, version.find_first_of(",\n"));
}

std::string threads_text() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  if (level == MPI_THREAD_MULTIPLE) return "MPI_THREAD_MULTIPLE";
  return "MPI_THREAD_SERIALIZED, which is enough";  // MpiSession refuses less
}

// The library is loaded to ask it, since only some MPI libraries contain it.
Finding pmix_finding() {
  Finding finding{.part = part, .name = "PMIx", .state = FindingState::absent};
  finding.text = "not found: mpirun starts ranks, srun may not";
  void* const library = dlopen("libpmix.so.2", RTLD_LAZY | RTLD_LOCAL);
  if (library == nullptr) return finding;
  using Version = const char*();
  auto* const version = reinterpret_cast<Version*>(dlsym(library, "PMIx_Get_version"));
  const std::string text = version == nullptr ? "libpmix.so.2" : version();
  dlclose(library);
  finding.state = FindingState::present;
  finding.text = text.substr(0, text.find(" ("));
  return finding;
}

}  // namespace

std::vector<Finding> mpi_findings() {
  int argc = 0;
  char** argv = nullptr;
  const MpiSession session(argc, argv);
  std::vector<Finding> findings{
      {.part = part, .name = mpi_library_name, .text = library_text()},
      {.part = part, .name = "threads", .text = threads_text()},
      pmix_finding(),
  };
  if (mpi_is_cuda_aware()) {
    findings.push_back({.part = part, .name = "GPU memory", .text = "messages read it"});
  }
  return findings;
}

}  // namespace cnnplan
