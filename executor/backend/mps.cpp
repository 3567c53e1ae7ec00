// Finds the daemon of MPS by the pipe "control", through which CUDA talks to it.
#include "executor/backend/mps.hpp"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace cnnplan {

MpsState find_mps() {
  const char* const named = std::getenv("CUDA_MPS_PIPE_DIRECTORY");
  MpsState found{.folder = named == nullptr ? "/tmp/nvidia-mps" : named, .error = {}};
  std::error_code error;
  found.is_running = std::filesystem::exists(found.folder + "/control", error);
  if (error) found.error = error.message();
  return found;
}

}  // namespace cnnplan
