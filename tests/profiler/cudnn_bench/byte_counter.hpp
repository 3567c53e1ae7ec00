// Counts the bytes that kernels on the emulated GPU move.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "executor/backend/cudnn/kernels/access_observer.hpp"
#include "executor/backend/tensor_view.hpp"

namespace cnnplan::test {

// Holds bytes that kernels read and that they write. A byte counts once per launch, as if the
// launch kept it in a cache. So the counts are those of a GPU's memory at best.
struct MovedBytes {
  std::int64_t read = 0;
  std::int64_t written = 0;
  std::int64_t total() const { return read + written; }
};

// Counts from its construction on, until it is destroyed. There may be one at a time.
class ByteCounter final : public cudnn::AccessObserver {
 public:
  ByteCounter() { cudnn::access_observer = this; }
  ~ByteCounter() override { cudnn::access_observer = nullptr; }
  ByteCounter(const ByteCounter&) = delete;
  ByteCounter& operator=(const ByteCounter&) = delete;

  void read(const void* memory, std::size_t bytes) override;
  void write(const void* memory, std::size_t bytes) override;
  // Counts `bytes` bytes from `memory` on apart from all others.
  void watch(const void* memory, std::int64_t bytes);
  // Returns the counts of all watched ranges, in the order of watch(). All other bytes come last.
  // @pre the work of all kernels is done
  std::vector<MovedBytes> moved();

 private:
  using Addresses = std::unordered_set<std::uintptr_t>;
  struct Range {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
  };

  void add(Addresses& addresses, const void* memory, std::size_t bytes);
  void end_launch();
  std::size_t place_of(std::uintptr_t address) const;

  std::vector<Range> ranges_;
  std::vector<MovedBytes> moved_{1};
  std::int64_t launch_ = -1;
  Addresses read_;  // of this launch
  Addresses written_;
};

}  // namespace cnnplan::test
