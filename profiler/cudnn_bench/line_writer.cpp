// A line leaves the program in one piece, so that a killed program leaves no half line.
#include "profiler/cudnn_bench/line_writer.hpp"

#include <ostream>
#include <string>

#include "planner/base/error.hpp"

namespace cnnplan::cudnn {

OrderedJson new_line(std::string_view kind) {
  OrderedJson line;
  line["line"] = kind;
  return line;
}

void LineWriter::write(const OrderedJson& object) {
  const std::string line = write_json_line(object);
  out_.write(line.data(), std::ssize(line));
  if (!out_.flush()) throw IoError("standard output: the line cannot be written");
}

}  // namespace cnnplan::cudnn
