// Draws the progress line, whose time left follows from the mean time of the passes so far.
#include "profiler/progress_bar.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace cnnplan {

std::string progress_line(
    int done, int total, double elapsed_s, const std::string& what, std::size_t columns) {
  constexpr int width = 30;
  constexpr std::size_t most_characters = 120;
  const int of_total = std::min(done, total);
  const int filled = total > 0 ? width * of_total / total : 0;
  const long left_s = std::lround(elapsed_s / done * (total - of_total));
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  std::array<char, most_characters> line{};
  std::snprintf(line.data(),
                line.size(),
                "[%s] %3d %%  left %ld:%02ld  %-50.50s",
                bar.c_str(),
                total > 0 ? 100 * of_total / total : 0,
                left_s / 60,
                left_s % 60,
                what.c_str());
  return std::string(line.data()).substr(0, columns);
}

ProgressBar::~ProgressBar() {
  end_line();
}

void ProgressBar::end_line() {
  if (drawn_) std::fputc('\n', stderr);
  drawn_ = false;
}

void ProgressBar::show(int done, int total, const std::string& what) {
  if (!shown_ || done == 0) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  const std::string line = progress_line(done, total, elapsed.count(), what, columns_);
  if (is_terminal_) {
    drawn_ = true;
    std::fputs(('\r' + line).c_str(), stderr);
  } else if (elapsed.count() >= last_line_s_ + seconds_between_lines) {
    last_line_s_ = elapsed.count();
    std::fputs((line.substr(0, line.find_last_not_of(' ') + 1) + '\n').c_str(), stderr);
  }
}

}  // namespace cnnplan
