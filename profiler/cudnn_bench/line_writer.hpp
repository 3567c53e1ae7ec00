// Writes JSON, one object a line, so that a reader can use every line before the program ends.
#pragma once

#include <iosfwd>
#include <string_view>

#include "planner/json/json_writer.hpp"

namespace cnnplan::cudnn {

// Returns an object with its first key: "line", which says what kind of line it is.
OrderedJson new_line(std::string_view kind);

// Writes lines to one stream.
class LineWriter {
 public:
  // Keeps a reference to the stream.
  explicit LineWriter(std::ostream& out) : out_(out) {}
  // Writes the whole line and flushes. @throws IoError where it cannot; as write_json_line()
  void write(const OrderedJson& object);

 private:
  std::ostream& out_;
};

}  // namespace cnnplan::cudnn
