// The line of a progress bar on fed times.
#include "profiler/progress_bar.hpp"

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("progress_line: the bar, the share and the time left are in proportion to what is done") {
  const std::string half = progress_line(5, 10, 90.0, "kernels");
  CHECK(contains(half, "[###############...............]  50 %  left 1:30  kernels"));
  const std::string tenth = progress_line(1, 10, 1.0, "kernels");
  CHECK(contains(tenth, "[###...........................]  10 %  left 0:09"));
  CHECK(contains(progress_line(1, 1001, 7.2, ""), "left 120:00"));
}

TEST_CASE("progress_line: nothing is left at the end, nor beyond it, nor of nothing") {
  const std::string full = "[##############################] 100 %  left 0:00";
  CHECK(contains(progress_line(10, 10, 50.0, ""), full));
  CHECK(contains(progress_line(11, 10, 50.0, ""), full));
  CHECK(contains(progress_line(1, 0, 50.0, ""), "  0 %  left 0:00"));
}

TEST_CASE("progress_line: every line covers the one before") {
  const std::string longer = progress_line(1, 9, 1.0, std::string(80, 'x'));
  CHECK(longer.size() == progress_line(2, 9, 1.0, "short").size());
  CHECK(contains(longer, std::string(50, 'x')));
  CHECK_FALSE(contains(longer, std::string(51, 'x')));
}

TEST_CASE("progress_line: no line is wider than the terminal") {
  const std::string line = progress_line(1, 9, 1.0, std::string(50, 'x'));
  CHECK(line.size() > 80);
  CHECK(progress_line(1, 9, 1.0, std::string(50, 'x'), 72) == line.substr(0, 72));
}

}  // namespace cnnplan
