// Time left from the mean time of what is done.
#include "profiler/progress_bar.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cnnplan {

ProgressBar::~ProgressBar() {
  if (drawn_) std::fputc('\n', stderr);
}

void ProgressBar::show(int done, int total, const std::string& what) {
  if (!shown_ || done == 0) return;
  drawn_ = true;
  constexpr int width = 30;
  const double elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  const auto left_s = std::lround(elapsed_s / done * std::max(0, total - done));
  const auto filled =
      static_cast<std::size_t>(total > 0 ? width * std::min(done, total) / total : 0);
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  std::fprintf(stderr,
               "\r[%s] %3d %%  left %ld:%02ld  %-50.50s",
               bar.c_str(),
               total > 0 ? 100 * std::min(done, total) / total : 0,
               left_s / 60,
               left_s % 60,
               what.c_str());
}

}  // namespace cnnplan
