// What cnnexec prints: results to stdout, all else to stderr.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "executor/training/inference.hpp"
#include "executor/training/trainer.hpp"
#include "executor/training/verification.hpp"

namespace cnnplan {

// How far a training is, in one line of stderr that is drawn anew.
class ProgressLine {
 public:
  explicit ProgressLine(bool shown) : shown_(shown) {}
  ~ProgressLine() { end(); }
  // What follows begins a line of its own.
  void end();
  void operator()(const Progress& progress);

 private:
  bool shown_;
  bool drawn_ = false;
};

void print_note(const std::string& text);
void print_places(const std::vector<RankPlace>& ranks);
void print_evaluation(const Evaluation& evaluation);
void print_check(const GradientCheck& check);
void print_saved(std::int64_t step, const std::string& folder);
void print_summary(const RunReport& run, const std::string& file);
void print_summary(const InferenceReport& report, const std::string& file);
// The largest differences.
void print_verification(const Verification& verification);

}  // namespace cnnplan
