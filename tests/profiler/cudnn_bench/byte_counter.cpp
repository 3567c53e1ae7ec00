// Collects the addresses of one launch at a time. The emulation counts kernels as they start.
#include "tests/profiler/cudnn_bench/byte_counter.hpp"

#include <algorithm>
#include <cstddef>

#include "tests/emulation/device.hpp"

namespace cnnplan::test {

void ByteCounter::read(const void* memory, std::size_t bytes) {
  add(read_, memory, bytes);
}

void ByteCounter::write(const void* memory, std::size_t bytes) {
  add(written_, memory, bytes);
}

void ByteCounter::add(Addresses& addresses, const void* memory, std::size_t bytes) {
  const std::int64_t launch = emulation::counters().kernels;
  if (launch != launch_) end_launch();
  launch_ = launch;
  const auto first = reinterpret_cast<std::uintptr_t>(memory);
  for (std::size_t i = 0; i < bytes; ++i) addresses.insert(first + i);
}

void ByteCounter::watch(const void* memory, std::int64_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  ranges_.push_back({.begin = begin, .end = begin + static_cast<std::uintptr_t>(bytes)});
  moved_.emplace_back();
}

std::vector<MovedBytes> ByteCounter::moved() {
  end_launch();
  return moved_;
}

void ByteCounter::end_launch() {
  for (const std::uintptr_t address : read_) ++moved_[place_of(address)].read;
  for (const std::uintptr_t address : written_) ++moved_[place_of(address)].written;
  read_.clear();
  written_.clear();
}

std::size_t ByteCounter::place_of(std::uintptr_t address) const {
  const auto found = std::find_if(ranges_.begin(), ranges_.end(), [address](const Range& range) {
    return range.begin <= address && address < range.end;
  });
  return static_cast<std::size_t>(found - ranges_.begin());
}

}  // namespace cnnplan::test
