// Holds the measurements of one execution of a plan.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/run/measured_steps.hpp"

namespace cnnplan {

// Summarises the measured times of an operation, or of whole steps.
struct Measured {
  double median_s = 0.0;
  double min_s = 0.0;
  double max_s = 0.0;
  int count = 0;  // steps that were measured
  bool operator==(const Measured&) const = default;
};

// Holds the measured times of the operation that several ranks know by one id.
struct MeasuredOperation {
  std::string id;
  Measured time;  // each step's value is the mean over the ranks that have the operation
  int ranks = 0;  // the number of ranks that have it
  OperationPlace place{};
  bool operator==(const MeasuredOperation&) const = default;
};

// Compares the gradient under multigrid with the gradient of the layers in order, over all
// parameters.
struct GradientCheck {
  std::int64_t step = 0;        // the check was made before this step
  int cycles = 1;               // the largest number of cycles of a chain
  double cosine = 1.0;          // of the angle between both gradients; 1: one direction
  double relative_error = 0.0;  // norm of the difference, over the norm of the gradient in order
  // Residuals are norms over the C-points of the finest level of all chains. Element i follows i
  // completed cycles. A norm is taken before the next coarse correction, and the last one at the
  // end. With FCF, it is taken after the relaxation of C-points.
  std::vector<double> forward_residuals{};
  std::vector<double> backward_residuals{};
  bool operator==(const GradientCheck&) const = default;
};

// Holds a run file.
struct RunReport {
  std::string network;  // its name
  int ranks = 1;
  std::int64_t batch = 1;  // global mini-batch
  std::string backend;     // "onednn"
  std::string device;      // the part of the fingerprint that describes the device
  Measured step;           // each step's value is the time of the slowest rank
  std::vector<MeasuredOperation> operations;
  std::vector<double> loss;                    // per step, the mean over the global mini-batch
  std::vector<GradientCheck> gradient_checks;  // in the order in which they were made
  // The accuracy is in [0, 1], after each epoch or after the last of a number of steps. It is empty
  // where nothing was evaluated.
  std::vector<double> test_accuracy{};
  std::vector<double> test_loss{};  // like test_accuracy, for losses that compare with targets
  // Both are of the rank with most. The first is what the program allocated for parameters,
  // activations and buffers. The second is the peak that the system saw (Device::peak_bytes); 0:
  // not known.
  std::int64_t peak_memory_bytes = 0;
  std::int64_t process_peak_bytes = 0;
  // True if ranks shared a GPU without MPS. They then took turns, so times say nothing about speed.
  bool in_turns = false;
  // Says how the run was made: "library" and "version" of cnnplan. Runs of cnnexec also have what
  // run_origin() says. A file may lack all of them, and may have others.
  std::map<std::string, std::string> environment;
  std::vector<InputFile> inputs;         // the plan comes first
  std::optional<MeasuredSteps> trace{};  // none: no steps were traced
  bool operator==(const RunReport&) const = default;
};

// Returns the places of operations in RunReport::operations by their ids, which are views of those
// of the run.
std::unordered_map<std::string_view, int> places_by_id(const RunReport& run);

// Reads JSON of the schema cnnplan.run/2 or /1. `file` names it in errors. @throws InputError
RunReport parse_run(std::string_view json, const std::string& file);
// Reads a file as parse_run does. @throws InputError, IoError
RunReport read_run(const std::string& file);
// Returns the text of a run file, in the newest schema.
std::string to_json(const RunReport& run);

}  // namespace cnnplan
