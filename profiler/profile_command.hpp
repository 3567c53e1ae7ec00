// Times the kernels of networks and writes a profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Holds what the user of the command chose.
struct ProfileOptions {
  std::vector<std::string> networks;  // files of networks or ONNX models
  // Number of ranks of the plans. With 0, it is the number of ranks of `world`. If this is 1, it is
  // the number of cores, or of the backend's GPUs.
  int ranks = 0;
  std::int64_t batch = 8;  // global mini-batch of the plans
  Precision precision = Precision::fp32;
  std::string input_size;            // empty: the size in the networks
  std::string axes = "ncdhw";        // over which the search may split
  std::vector<std::string> uniform;  // meshes of further plans, each for all layers: "h2"
  std::string missing_from;          // a plan: only its kernels; empty: the kernels of `networks`
  std::string backend{default_backend()};
  bool chose_backend = false;  // the user named the backend
  bool deterministic = false;  // only kernels whose results repeat bit by bit
  std::int64_t most_workspace_bytes = BackendOptions{}.most_workspace_bytes;  // for a convolution
  int engine_trials = BackendOptions{}.engine_trials;  // for each variant of a convolution
  int repetitions = 12;                                // of each kernel
  std::string output_file = "profile.json";
};

// Adds to the output file the kernels that it lacks, or creates it. Rank 0 reads and writes all
// files. The file is written after every schedule. The call is collective and blocks.
// @throws InputError, UnmappedNodes, IoError, EnvironmentError, InfeasibleError on all ranks alike.
// A plan of another device is an InputError unless the user named the backend.
// @throws BackendError on all ranks alike, after the file is written, when kernels failed and are
// missing from it
// @throws EnvironmentError on a rank that has too few cores; DeviceLostError on a rank whose device
// can run no other kernel
void profile_command(const ProfileOptions& options, const Communicator& world);

}  // namespace cnnplan
