// Shows how much is done and how long the rest will take, in one line on a terminal, or in a log by
// a line now and then.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace cnnplan {

// Returns "[###...]  10 %  left 1:30  what", cut at `columns`. `what` is cut or padded to 50 bytes.
// The time left is in proportion to the time until now. @pre 0 < done
std::string progress_line(int done,
                          int total,
                          double elapsed_s,
                          const std::string& what,
                          std::size_t columns = std::string::npos);

// Writes to stderr. On a terminal it overwrites its line, which must not be wider than the
// terminal. Else it writes a line at most every `seconds_between_lines`.
class ProgressBar {
 public:
  static constexpr double seconds_between_lines = 30.0;

  // If `shown` is false, nothing is ever written. The time that has passed counts from here.
  ProgressBar(bool shown, bool is_terminal, std::size_t columns)
      : shown_(shown), is_terminal_(is_terminal), columns_(columns) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();
  // Shows progress_line(). Nothing is shown while `done` is 0.
  void show(int done, int total, const std::string& what);
  // Ends the line on a terminal, so that other text can follow.
  void end_line();

 private:
  bool shown_;
  bool is_terminal_;
  std::size_t columns_;  // of the terminal
  bool drawn_ = false;
  double last_line_s_ = 0.0;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace cnnplan
