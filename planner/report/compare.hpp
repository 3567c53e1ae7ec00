// Compares predicted with measured times, joined on the ids of operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "planner/base/terminal.hpp"
#include "planner/plan/plan.hpp"
#include "planner/run/run.hpp"

namespace cnnplan {

// Holds two times of one thing.
struct ComparedTime {
  std::string name;  // of a layer or group, or an operation id
  double predicted_s = 0.0;
  double measured_s = 0.0;

  // Returns |predicted - measured| / measured. 0 / 0 counts as 0, and x / 0 as infinite.
  double error() const;
  bool operator==(const ComparedTime&) const = default;
};

// Holds two amounts of memory of the rank that needs most.
struct ComparedBytes {
  std::int64_t predicted_bytes = 0;
  std::int64_t measured_bytes = 0;  // more than 0

  // Returns |predicted - measured| / measured.
  double error() const;
};

// Holds an operation that only the plan or only the run has.
struct UnmatchedOperation {
  std::string id;
  double seconds = 0.0;  // predicted or measured, as the list says that has it
  bool operator==(const UnmatchedOperation&) const = default;
};

// Says why the measured step is not as predicted.
struct LikelyReason {
  std::string text{};            // without a full stop; empty: no reason is known or needed
  bool is_rest_of_step = false;  // the text names the rest of the step
  bool operator==(const LikelyReason&) const = default;
};

// Holds times and errors. Means and the maximum are over `groups` with a measured time above 0.
struct Comparison {
  std::string network;
  int ranks = 1;
  std::int64_t batch = 1;
  ComparedTime step;                        // with the median of the measured steps
  Measured measured_step;                   // all of their statistics
  std::int64_t predicted_memory_bytes = 0;  // of the rank that needs most; 0: not known
  bool predicted_process = false;           // the prediction counts the process itself
  std::int64_t allocated_memory_bytes = 0;  // of the rank that needs most; 0: not known
  std::int64_t process_peak_bytes = 0;      // as the system saw it; 0: not known
  std::vector<ComparedTime> groups;         // layers in network order, then "reduce" and "sgd"
  std::vector<ComparedTime> operations;     // matched, in the order of the plan
  std::vector<UnmatchedOperation> only_predicted;
  std::vector<UnmatchedOperation> only_measured;
  double mean_error = 0.0;                         // MAPE: each group counts the same
  double weighted_mean_error = 0.0;                // sum |predicted - measured| / sum measured
  double max_error = 0.0;                          // the largest error of a group
  std::string max_error_group;                     // the name of this group
  LikelyReason reason;                             // of the error of the step
  std::map<std::string, std::string> environment;  // as in RunReport
  bool operator==(const Comparison&) const = default;
};

// Holds the names of the files as the user wrote them.
struct ComparedFiles {
  std::string plan = "plan.json";
  std::string run = "run.json";
};

// Compares the operations that both sides have, each alone and summed by group. It also compares
// the times of whole steps, which may be less than these sums because operations overlap.
// @pre operations of the prediction have a part: with_places completes plans of schema /1
// @throws InputError when plan and run do not have one network, number of ranks and batch, or the
// ranks of the run took turns on a GPU
Comparison compare(const Plan& plan, const RunReport& run, const ComparedFiles& files);

// Finds the likeliest reason why the measured step is not as predicted. The first that holds is
// named: the plan is for another device; kernels or links are estimated; steps differ much from
// each other. Otherwise, the kernels or the communication of the layer that is furthest off are
// named, or the rest of the step. Except for another device, the text is empty if the measured step
// is in the range of the prediction, or within 5 % of it. `files` has the plan's name for a
// command.
LikelyReason likely_reason(const Plan& plan, const RunReport& run, const ComparedFiles& files);

// Returns the predicted memory and the measured figure that it is about. This is the peak of the
// process if the prediction counts the process, else what the program allocated. Returns nothing if
// a side does not know its memory.
std::optional<ComparedBytes> compared_memory(const Comparison& comparison);

// Checks that a run executed the plan file with this digest, which is its first input. A run
// without inputs passes. @throws InputError if it executed another plan
void require_run_of(const std::string& plan_sha256,
                    const RunReport& run,
                    const ComparedFiles& files);

// A layer that takes this share of the step, predicted or measured, has a row of its own.
inline constexpr double compared_row_share = 0.02;

// Returns a table of the groups, then unmatched operations, memory and the errors. Groups whose
// times differ most in seconds are first. Sentences have at most `columns` columns, and the table
// is as wide as it is.
std::string to_text(const Comparison& comparison, std::size_t columns = usual_columns);

// Returns the content of to_text() in at most `columns` columns, with a legend. Groups that take
// less than compared_row_share of the step share a row, and long lists are cut.
std::string short_text(const Comparison& comparison, std::size_t columns = usual_columns);

// Returns a document of the kind "comparison".
std::string to_json(const Comparison& comparison);

// Returns the legend, and a table with the row of one group, named as in Comparison::groups.
// @throws InputError when no operation of a group of this name was compared
std::string row_text(const Comparison& comparison,
                     const std::string& group,
                     std::size_t columns = usual_columns);

}  // namespace cnnplan
