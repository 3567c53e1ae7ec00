// One line on a terminal: how far, and how long it will take.
#pragma once

#include <chrono>
#include <string>

namespace cnnplan {

class ProgressBar {
 public:
  explicit ProgressBar(bool shown) : shown_(shown) {}
  ~ProgressBar();
  void show(int done, int total, const std::string& what);

 private:
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace cnnplan
