// One line on a terminal: how far, and how long it will take.
#pragma once

#include <chrono>
#include <string>

namespace cnnplan {

// "[###...]  10 %  left 1:30  what". The time left is that of what is done, in proportion.
// @pre 0 < done
std::string progress_line(int done, int total, double elapsed_s, const std::string& what);

// Writes to stderr.
class ProgressBar {
 public:
  explicit ProgressBar(bool shown) : shown_(shown) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;
  ~ProgressBar();
  void show(int done, int total, const std::string& what);

 private:
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace cnnplan
