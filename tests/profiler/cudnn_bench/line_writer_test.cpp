// Lines are whole, and a reader that went away is noticed.
#include "profiler/cudnn_bench/line_writer.hpp"

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "planner/base/error.hpp"

namespace cnnplan::cudnn {

TEST_CASE("LineWriter: an object is one line, however long it is") {
  std::ostringstream out;
  OrderedJson line = new_line("own");
  line["text"] = std::string(500, 'x') + "\n";
  line["list"] = {1, 2, 3};
  LineWriter(out).write(line);
  const std::string text = out.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == 1);
  CHECK(text.back() == '\n');
  CHECK(text.starts_with("{\"line\": \"own\""));
  CHECK(OrderedJson::parse(text) == line);
}

TEST_CASE("LineWriter: a number that JSON lacks is refused") {
  std::ostringstream out;
  OrderedJson line = new_line("own");
  line["median_s"] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_AS(LineWriter(out).write(line), NotFiniteError);
  CHECK(out.str().empty());
}

TEST_CASE("LineWriter: a stream that takes nothing is an error") {
  std::ostringstream out;
  out.setstate(std::ios::badbit);
  CHECK_THROWS_AS(LineWriter(out).write(new_line("done")), IoError);
}

}  // namespace cnnplan::cudnn
