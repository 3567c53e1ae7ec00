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
  int ranks = 0;  // ranks of the plans; 0: as many as `world` has, or one per core
  std::int64_t batch = 8;
  Precision precision = Precision::fp32;
  std::string input_size;            // empty: the size in the networks
  std::string axes = "ncdhw";        // over which the search may split
  std::vector<std::string> uniform;  // meshes
  std::string missing_from;          // a plan: only its kernels; empty: the kernels of `networks`
  std::string backend{default_backend()};
  bool deterministic = false;  // only kernels whose results repeat bit by bit
  std::int64_t most_workspace_bytes = BackendOptions{}.most_workspace_bytes;  // for a convolution
  int engine_trials = BackendOptions{}.engine_trials;  // for each variant of a convolution
  int repetitions = 12;
  std::string output_file = "profile.json";
};

// Adds to the output file the kernels that it lacks, or creates it. Rank 0 reads and writes all
// files. The file is written after every schedule. The call is collective and blocks.
// @throws InputError, IoError, EnvironmentError, InfeasibleError on all ranks alike; BackendError
// on all ranks alike, after the file is written, when kernels failed and are missing from it;
// DeviceLostError on a rank whose device can run no other kernel
void profile_command(const ProfileOptions& options, const Communicator& world);

}  // namespace cnnplan
