// Device memory in mappings of its own, closed to the host.
#include "tests/emulation/memory.hpp"

#include <algorithm>
#include <functional>
#include <new>

#include <sys/mman.h>

namespace cnnplan::emulation {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t alignment = 256;
constexpr std::byte fresh{0xff};
constexpr std::byte margin{0xa5};

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

bool all_margin(const std::byte* begin, const std::byte* end) {
  return std::all_of(begin, end, [](std::byte byte) { return byte == margin; });
}

}  // namespace

std::byte* DeviceMemory::Allocation::begin() const {
  return mapping + page_bytes;
}
std::byte* DeviceMemory::Allocation::end() const {
  return mapping + mapped_bytes - page_bytes;
}

void* DeviceMemory::allocate(std::size_t bytes, int device) {
  const std::size_t aligned = round_up(bytes, alignment);
  Allocation made{.bytes = bytes, .device = device};
  made.mapped_bytes = round_up(aligned, page_bytes) + 2 * page_bytes;
  void* mapping = mmap(
      nullptr, made.mapped_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  made.mapping = static_cast<std::byte*>(mapping);
  made.data = made.end() - aligned;  // what is written behind the end hits the closed page
  protect(made, PROT_READ | PROT_WRITE);
  std::fill(made.begin(), made.end(), margin);
  std::fill_n(made.data, bytes, fresh);
  if (open_ == 0) protect(made, PROT_NONE);
  allocations_.emplace(made.data, made);
  return made.data;
}

bool DeviceMemory::release(void* address) {
  const auto found = allocations_.find(static_cast<const std::byte*>(address));
  if (found == allocations_.end()) return false;
  const Allocation& freed = found->second;
  // Gives the pages back and keeps the addresses.
  const void* closed = mmap(freed.mapping,
                            freed.mapped_bytes,
                            PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                            -1,
                            0);
  if (closed == MAP_FAILED) throw std::bad_alloc();
  freed_.push_back(freed);
  allocations_.erase(found);
  return true;
}

void DeviceMemory::clear() {
  for (const auto& [data, allocation] : allocations_) {
    munmap(allocation.mapping, allocation.mapped_bytes);
  }
  for (const Allocation& freed : freed_) munmap(freed.mapping, freed.mapped_bytes);
  allocations_.clear();
  freed_.clear();
}

const DeviceMemory::Allocation* DeviceMemory::find(const void* address) const {
  const auto after = allocations_.upper_bound(static_cast<const std::byte*>(address));
  if (after == allocations_.begin()) return nullptr;
  const Allocation& candidate = std::prev(after)->second;
  const std::less<> before;
  return before(address, candidate.data + candidate.bytes) ? &candidate : nullptr;
}

bool DeviceMemory::touches(const void* address, std::size_t bytes) const {
  if (find(address) != nullptr) return true;
  const auto next = allocations_.upper_bound(static_cast<const std::byte*>(address));
  return next != allocations_.end() && next->first < static_cast<const std::byte*>(address) + bytes;
}

bool DeviceMemory::holds(const void* address, std::size_t bytes) const {
  const Allocation* found = find(address);
  if (found == nullptr) return false;
  const auto offset =
      static_cast<std::size_t>(static_cast<const std::byte*>(address) - found->data);
  return bytes <= found->bytes - offset;
}

int DeviceMemory::device_of(const void* address) const {
  const Allocation* found = find(address);
  return found == nullptr ? -1 : found->device;
}

std::size_t DeviceMemory::used_bytes(int device) const {
  std::size_t sum = 0;
  for (const auto& [data, allocation] : allocations_) {
    if (allocation.device == device) sum += round_up(allocation.bytes, alignment);
  }
  return sum;
}

bool DeviceMemory::margins_are_untouched() const {
  return std::all_of(allocations_.begin(), allocations_.end(), [](const auto& entry) {
    const Allocation& allocation = entry.second;
    const std::byte* first = std::max(allocation.begin(), allocation.data - alignment);
    return all_margin(first, allocation.data) &&
           all_margin(allocation.data + allocation.bytes, allocation.end());
  });
}

void DeviceMemory::protect(const Allocation& allocation, int protection) const {
  const auto bytes = static_cast<std::size_t>(allocation.end() - allocation.begin());
  if (mprotect(allocation.begin(), bytes, protection) != 0) throw std::bad_alloc();
}

void DeviceMemory::protect_all(int protection) const {
  for (const auto& [data, allocation] : allocations_) protect(allocation, protection);
}

OpenMemory::OpenMemory(DeviceMemory& memory) : memory_(memory) {
  if (memory_.open_++ == 0) memory_.protect_all(PROT_READ | PROT_WRITE);
}

OpenMemory::~OpenMemory() {
  if (--memory_.open_ == 0) memory_.protect_all(PROT_NONE);
}

void* PinnedMemory::allocate(std::size_t bytes) {
  std::vector<std::byte> block(bytes, fresh);
  std::byte* data = block.data();
  blocks_.emplace(data, std::move(block));
  return data;
}

bool PinnedMemory::release(void* address) {
  return blocks_.erase(static_cast<const std::byte*>(address)) == 1;
}

bool PinnedMemory::holds(const void* address, std::size_t bytes) const {
  const auto* first = static_cast<const std::byte*>(address);
  const auto after = blocks_.upper_bound(first);
  if (after == blocks_.begin()) return false;
  const auto& [begin, block] = *std::prev(after);
  const auto offset = static_cast<std::size_t>(first - begin);
  return offset <= block.size() && bytes <= block.size() - offset;
}

}  // namespace cnnplan::emulation
