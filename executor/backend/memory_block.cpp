// Allocates aligned memory, and asks for huge pages where a block is large.
#include "executor/backend/memory_block.hpp"

#include <cstdlib>
#include <cstring>

#include <sys/mman.h>

#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"
#include "planner/base/memory_units.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t huge_page_bytes = std::int64_t{2} << 20;

}  // namespace

MemoryBlock::MemoryBlock(std::int64_t bytes) : size_bytes_(bytes) {
  if (bytes == 0) return;
  const std::int64_t alignment =
      bytes >= huge_page_bytes ? huge_page_bytes : std::int64_t{page_bytes};
  const std::int64_t rounded = (bytes + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded);
  if (memory == nullptr) {
    throw OutOfMemoryError("memory ran out: the system did not give " + bytes_text(rounded));
  }
  if (alignment == huge_page_bytes) madvise(memory, rounded, MADV_HUGEPAGE);
  std::memset(memory, 0, rounded);
  data_ = {static_cast<std::byte*>(memory), {std::free}};
}

}  // namespace cnnplan
