// Times the kernels of networks and writes a profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

struct ProfileOptions {
  std::vector<std::string> networks;  // files
  int ranks = 0;                      // of the plans; 0: those of `world`, or one per core
  std::int64_t batch = 8;
  Precision precision = Precision::fp32;
  std::string input_size;            // empty: that of the networks
  std::string axes = "ncdhw";        // over which the search may split
  std::vector<std::string> uniform;  // meshes
  std::string missing_from;          // a plan: only its kernels; empty: those of the networks
  std::string backend{default_backend()};
  bool deterministic = false;  // only kernels that give the same bits every time
  std::int64_t most_workspace_bytes = BackendOptions{}.most_workspace_bytes;  // of a convolution
  int repetitions = 12;
  std::string output_file = "profile.json";
};

// Adds to the output file, if it is there, what it lacks. Rank 0 reads and writes all files.
// Collective, blocking.
// @throws InputError, IoError, EnvironmentError, InfeasibleError on all ranks alike
void profile_command(const ProfileOptions& options, const Communicator& world);

}  // namespace cnnplan
