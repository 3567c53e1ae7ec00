// Maps pages for operands of a kernel, and closes the pages around them.
#include "tests/executor/backend/onednn/windows/guarded_memory.hpp"

#include <algorithm>
#include <new>

#include <sys/mman.h>

namespace cnnplan::test {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t closed = 16 * page;  // on either side
constexpr std::byte untouched{0xff};

bool is_untouched(std::span<const std::byte> margin) {
  return std::all_of(margin.begin(), margin.end(), [](std::byte b) { return b == untouched; });
}

}  // namespace

GuardedMemory::GuardedMemory(std::size_t bytes, std::size_t offset) {
  const std::size_t open = 2 * page + (offset + bytes + page - 1) / page * page;
  void* const memory = mmap(
      nullptr, open + 2 * closed, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  mapped_ = {static_cast<std::byte*>(memory), open + 2 * closed};
  open_ = mapped_.subspan(closed, open);
  if (mprotect(open_.data(), open, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  std::fill(open_.begin(), open_.end(), untouched);
  bytes_ = open_.subspan(page + offset, bytes);
}

GuardedMemory::~GuardedMemory() {
  munmap(mapped_.data(), mapped_.size());
}

bool GuardedMemory::margins_are_untouched() const {
  const auto before = static_cast<std::size_t>(bytes_.data() - open_.data());
  return is_untouched(open_.first(before)) && is_untouched(open_.subspan(before + bytes_.size()));
}

}  // namespace cnnplan::test
