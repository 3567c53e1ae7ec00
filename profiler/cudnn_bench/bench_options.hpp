// Lists what the user of cudnn_bench may choose.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// Holds what the user chose.
struct BenchOptions {
  std::string network;       // file of a network or an ONNX model
  std::string input_size;    // "512x512"; empty: the network's
  std::int64_t batch = 256;  // samples of a step, on one rank
  Precision precision = Precision::bf16;
  std::vector<KernelKind> kinds{};    // empty: all
  std::vector<KernelPhase> phases{};  // empty: all
  bool own_kernels = true;            // time the kernels of this project
  bool engines = true;                // time the engines of cuDNN
  // Engines that also compute a batch norm's statistics are timed, too.
  bool statistics = false;
  double budget_s = 0.0;  // for all measurements; 0: no limit
  int max_engines = 0;    // for each variant of a convolution; 0: all
  // The list names engines that do not run. "engine 38" stands for all of its configurations.
  std::vector<std::string> skipped_engines{};
  // A kernel's operands are repeated until they take this much memory; negative: 4 times the L2
  // cache.
  std::int64_t operand_bytes = -1;
  std::int64_t product_size = 8192;  // rows, columns and depth of the measured matrix product
  // An idle card needs about this long under load until its clocks are up.
  double warm_up_s = 0.3;
  // A timed sample takes about this long, as events resolve half a microsecond.
  double sample_s = 1e-3;
};

}  // namespace cnnplan::cudnn
