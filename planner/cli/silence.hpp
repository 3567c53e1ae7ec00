// Drops what a program prints for a while.
#pragma once

#include <ostream>
#include <streambuf>

namespace cnnplan {

// Drops all output of a stream from its construction to its destruction.
class Silence {
 public:
  // @pre the stream lives longer
  explicit Silence(std::ostream& stream) : stream_(stream), buffer_(stream.rdbuf(nullptr)) {}
  // Restores the buffer. This clears all error bits of the stream, such as badbit, which it has
  // while it has no buffer.
  ~Silence() { stream_.rdbuf(buffer_); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;

 private:
  std::ostream& stream_;
  std::streambuf* buffer_;
};

}  // namespace cnnplan
