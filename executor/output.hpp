// Prints the results of cnnexec to stdout, and everything else to stderr.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/training/inference.hpp"
#include "executor/training/trainer.hpp"
#include "executor/verify/verification.hpp"
#include "planner/report/compare.hpp"

namespace cnnplan {

// Shows the progress of a training in one line of stderr, which it redraws.
class ProgressLine {
 public:
  // If `shown` is false, nothing is ever printed.
  explicit ProgressLine(bool shown) : shown_(shown) {}
  ~ProgressLine() { end(); }
  // Ends the line, so that other output begins on a new one.
  void end();
  // Draws the line: steps, loss, time of a step, and the time that is left.
  void operator()(const Progress& progress);

 private:
  bool shown_;
  bool drawn_ = false;
};

// Call these functions on rank 0 only. Plans, summaries and verifications go to stdout, everything
// else to stderr. A plan and everything on stderr appear without delay; otherwise, the caller
// flushes stdout. An evaluation is printed only if the training counts in epochs.
// A note begins with the name of the program.
void tell(const std::string& text);
void print_places(const std::vector<RankPlace>& ranks);
// Says if a rank runs on another device than the plan was made for.
void tell_other_device(const Plan& plan, const std::vector<RankPlace>& ranks);
void print_evaluation(const Evaluation& evaluation);
void print_check(const GradientCheck& check);
void print_saved(std::int64_t step, const std::string& folder);
// Prints what a person wants to know of the plan, in at most eight lines. Commands name the file.
void print_plan(const Plan& plan, const std::string& file);
// Prints times, loss and accuracy. Compares step and rate with those that the plan predicts, and
// says why they differ. The name of the run file is printed, too.
void print_summary(const RunReport& run, const Plan& plan, const ComparedFiles& files);
// `file` is the file of inferred outputs.
void print_summary(const InferenceReport& report, const std::string& file);
// Prints the kernels that were checked, and the tensors with the largest differences.
void print_verification(const Verification& verification);

}  // namespace cnnplan
