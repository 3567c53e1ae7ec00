// How far, and how long it will take: one line on a terminal, now and then a line in a log.
#pragma once

#include <chrono>
#include <string>

namespace cnnplan {

// "[###...]  10 %  left 1:30  what". The time left is that of what is done, in proportion.
// @pre 0 < done
std::string progress_line(int done, int total, double elapsed_s, const std::string& what);

// Writes to stderr. `is_terminal`: over the line before; else a line at most every
// `seconds_between_lines`.
class ProgressBar {
 public:
  static constexpr double seconds_between_lines = 30.0;

  ProgressBar(bool shown, bool is_terminal) : shown_(shown), is_terminal_(is_terminal) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();
  void show(int done, int total, const std::string& what);

 private:
  bool shown_;
  bool is_terminal_;
  bool drawn_ = false;
  double last_line_s_ = 0.0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace cnnplan
