// Computes the SHA-256 (FIPS 180-4) of data that comes piece by piece.
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
  // Returns the digest of all added bytes in lower-case hex. @pre it was not called before
  std::string finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace cnnplan
