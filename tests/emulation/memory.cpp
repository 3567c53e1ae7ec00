// Keeps device memory in an address space of its own, which is closed to the host.
#include "tests/emulation/memory.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <new>

#include <sys/mman.h>

#include "planner/base/memory_units.hpp"

namespace cnnplan::emulation {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t space_bytes = std::size_t{1} << 40;  // addresses cost nothing
// One call opens allocations that lie closer together. The distance is limited, because the system
// looks at each page between them.
constexpr std::ptrdiff_t near_bytes = std::ptrdiff_t{1} << 20;
constexpr std::byte fresh{0xff};
constexpr std::byte margin{0xa5};

std::size_t round_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

// Margins are no longer than an alignment.
bool all_margin(const std::byte* begin, const std::byte* end) {
  static const auto untouched = [] {
    std::array<std::byte, alignment> bytes{};
    bytes.fill(margin);
    return bytes;
  }();
  return std::memcmp(begin, untouched.data(), static_cast<std::size_t>(end - begin)) == 0;
}

// Pages of an empty file cannot be touched, whatever their protection is.
int empty_file() {
  static const int file = memfd_create("untouchable", MFD_CLOEXEC);
  if (file < 0) throw std::bad_alloc();
  return file;
}

void protect(std::byte* begin, const std::byte* end, int protection) {
  if (mprotect(begin, static_cast<std::size_t>(end - begin), protection) != 0) {
    throw std::bad_alloc();
  }
}

}  // namespace

std::byte* DeviceMemory::reserve(std::size_t bytes) {
  if (space_ == nullptr) {
    void* mapped =
        mmap(nullptr, space_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    space_ = static_cast<std::byte*>(mapped);
    used_bytes_ = 0;
  }
  if (bytes > space_bytes - used_bytes_) throw std::bad_alloc();
  used_bytes_ += bytes;
  return space_ + used_bytes_ - bytes;
}

// Neighbouring pages map neighbouring bytes of the file, so that the system keeps one record for
// them. Each call that opens or closes memory goes through all records.
void DeviceMemory::make_untouchable(std::byte* begin, const std::byte* end) const {
  const auto bytes = static_cast<std::size_t>(end - begin);
  const int flags = MAP_SHARED | MAP_FIXED;
  if (mmap(begin, bytes, PROT_NONE, flags, empty_file(), begin - space_) == MAP_FAILED) {
    throw std::bad_alloc();
  }
}

void* DeviceMemory::allocate(std::size_t bytes, int device) {
  const std::size_t aligned = round_up(bytes, alignment);
  const std::size_t reserved = page_bytes + round_up(aligned, page_bytes);
  std::byte* const guard = reserve(reserved);
  Allocation made{
      .begin = guard + page_bytes, .end = guard + reserved, .bytes = bytes, .device = device};
  made.data = made.end - aligned;  // a write beyond the end hits the next closed page
  make_untouchable(guard, made.begin);
  protect(made.begin, made.end, PROT_READ | PROT_WRITE);
  std::fill(made.begin, made.end, margin);
  std::fill_n(made.data, bytes, fresh);
  if (open_ == 0) protect(made.begin, made.end, PROT_NONE);
  allocations_.emplace(made.data, made);
  return made.data;
}

bool DeviceMemory::release(void* address) {
  const auto found = allocations_.find(static_cast<const std::byte*>(address));
  if (found == allocations_.end()) return false;
  const Allocation& freed = found->second;
  make_untouchable(freed.begin, freed.end);  // gives the pages back and keeps the addresses
  allocations_.erase(found);
  return true;
}

void DeviceMemory::clear() {
  if (space_ != nullptr) munmap(space_, space_bytes);
  space_ = nullptr;
  allocations_.clear();
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
    const std::byte* first = std::max(allocation.begin, allocation.data - alignment);
    return all_margin(first, allocation.data) &&
           all_margin(allocation.data + allocation.bytes, allocation.end);
  });
}

void DeviceMemory::protect_all(int protection) const {
  for (auto first = allocations_.begin(); first != allocations_.end();) {
    auto last = first;
    auto next = std::next(first);
    while (next != allocations_.end() && next->second.begin - last->second.end < near_bytes) {
      last = next++;
    }
    protect(first->second.begin, last->second.end, protection);
    first = next;
  }
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
