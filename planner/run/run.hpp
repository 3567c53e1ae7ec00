// What one execution of a plan measured.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

struct Measured {
  double median_s = 0.0;
  double min_s = 0.0;
  double max_s = 0.0;
  int count = 0;
  bool operator==(const Measured&) const = default;
};

struct MeasuredOperation {
  std::string id;
  Measured time;  // each step's value is the mean over the ranks that have the operation
  int ranks = 0;  // how many ranks have it
  bool operator==(const MeasuredOperation&) const = default;
};

// How far the gradient under multigrid is from that of the layers in order, over all parameters.
struct GradientCheck {
  std::int64_t step = 0;  // before which it was made
  int cycles = 1;         // the most of any chain
  double cosine = 1.0;
  double relative_error = 0.0;  // of the norm of the difference
  // By the number of cycles that were over, the first with none: norms over the C-points of the
  // finest level of all chains, before the next coarse correction (with FCF behind the relaxation
  // of C-points), the last at the end.
  std::vector<double> forward_residuals{};
  std::vector<double> backward_residuals{};
  bool operator==(const GradientCheck&) const = default;
};

struct RunReport {
  std::string network;
  int ranks = 1;
  std::int64_t batch = 1;
  std::string backend;
  std::string device;
  Measured step;  // each step's value is that of the slowest rank
  std::vector<MeasuredOperation> operations;
  std::vector<double> loss;                    // per step, the mean over the global mini-batch
  std::vector<GradientCheck> gradient_checks;  // in the order in which they were made
  // In [0, 1]: after each epoch, or after the last of a number of steps; empty: not evaluated.
  std::vector<double> test_accuracy{};
  std::vector<double> test_loss{};  // likewise, where the loss compares with targets
  std::int64_t peak_memory_bytes = 0;
  std::map<std::string, std::string> environment;
  std::vector<InputFile> inputs;
  bool operator==(const RunReport&) const = default;
};

// JSON (schema cnnplan.run/1). @throws InputError, IoError
RunReport parse_run(std::string_view json, const std::string& file);
RunReport read_run(const std::string& file);
std::string to_json(const RunReport& run);

}  // namespace cnnplan
