// Runs the whole benchmark of a small network on the emulated device and keeps what it wrote.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "planner/json/json_writer.hpp"
#include "profiler/cudnn_bench/bench.hpp"
#include "tests/emulation/device.hpp"

namespace cnnplan::test {

// Enough memory for the small network, and little enough that copies are quick.
inline emulation::Options small_device() {
  return {
      .memory_bytes = std::size_t{256} << 20, .closed_memory = false, .cudnn_compiles_fused = true};
}

struct BenchRun {
  ExitCode code = ExitCode::ok;
  std::vector<nlohmann::json> lines;
  std::string log;

  // Returns the lines of this kind, such as "engine".
  std::vector<nlohmann::json> of(const std::string& kind) const;
  const nlohmann::json& last() const { return lines.back(); }
};

// Returns options for a small network. It has a convolution with bias, a batch norm with ReLU, and
// a convolution without bias. A residual connection, a pooling, a fully connected layer and a loss
// follow.
cudnn::BenchOptions small_options();
// `after_line` is called with every line that was written.
BenchRun run_bench(const cudnn::BenchOptions& options,
                   const std::function<void(const nlohmann::json&)>& after_line = {});

}  // namespace cnnplan::test
