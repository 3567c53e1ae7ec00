// SHA-256 of what comes piece by piece.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace cnnplan {

class Sha256 {
 public:
  Sha256();
  ~Sha256();
  void add(std::span<const std::byte> bytes);
  // Lower-case hex of what was added. @pre it was not called before
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cnnplan
