// Compresses text in pieces, as gzip does.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace cnnplan {

class Gzip {
 public:
  // @throws OutOfMemoryError
  Gzip();
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
  ~Gzip();

  // Appends what the text is compressed to so far to `output`.
  void add(std::string_view text, std::string& output);
  // Appends the rest. Call it once, after all text.
  void end(std::string& output);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cnnplan
