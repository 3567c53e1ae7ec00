// Checks the errors of a comparison against the limits that a user sets.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/report/compare.hpp"

namespace cnnplan {

// Holds the largest allowed errors, as fractions: 0.15 allows 15 %.
struct ErrorLimits {
  double step = 0.15;
  std::optional<double> memory{};  // of the rank that needs most; none: any error is allowed
};

enum class Gate { step, memory };
// Returns "step", or "memory of a rank".
std::string to_text(Gate gate);

// Holds a figure that has a limit.
struct GatedFigure {
  Gate gate = Gate::step;
  std::string predicted;  // with its unit
  std::string measured;   // with its unit
  double error = 0.0;     // |predicted - measured| / measured
  double limit = 0.0;

  bool holds() const { return error <= limit; }
  // Says by how much the prediction is off, and what is allowed, without a full stop.
  std::string message() const;
  // Returns the limit in percent, with at least one digit after the point.
  std::string limit_text() const;
};

// Returns the step, and the memory of a rank if it has a limit.
// @throws InputError if memory has a limit, but the plan or the run does not know its memory
std::vector<GatedFigure> gated_figures(const Comparison& comparison,
                                       const ErrorLimits& limits,
                                       const ComparedFiles& files);

}  // namespace cnnplan
