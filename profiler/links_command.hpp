// Measures the links and writes a platform file.
#pragma once

#include <cstdint>
#include <string>

#include "executor/comm/communicator.hpp"
#include "profiler/links_measure.hpp"

namespace cnnplan {

// Holds what the user of the command chose.
struct LinksRequest {
  std::string output_file;   // for the platform
  std::string backend;       // whose device is measured
  bool nccl = false;         // the library's allreduce is NCCL's
  bool device_only = false;  // measures copies, sums and launches of one rank, and no link
  std::int64_t most_bytes = LinkOptions{}.most_bytes;  // as in LinkOptions
  double time_budget_s = LinkOptions{}.time_budget_s;  // as in LinkOptions
};

// Prints tables of the measurements to stdout on rank 0, and writes the platform. The platform
// names its device as the kernel profiles of the backend do. This call is collective and blocks.
// @throws Error (usage) unless it runs on one rank exactly if `device_only` is set
// @throws EnvironmentError when the ranks run on different devices; IoError; std::logic_error when
// a collective gave wrong sums, and then no platform is written; as make_backend() and
// measure_links()
void links_command(const LinksRequest& request, const Communicator& world);

}  // namespace cnnplan
