// Maps POSIX shared memory on all ranks, or on none when one rank fails.
#include "executor/comm/shared_memory.hpp"

#include <random>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "executor/comm/nodes.hpp"

namespace cnnplan {
namespace {

// Closes a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  ~Descriptor() {
    if (value_ >= 0) close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

constexpr mode_t owner_only = 0600;

std::string random_name() {
  std::random_device random;
  return "/cnnplan-" + std::to_string(getpid()) + "-" + std::to_string(random());
}

std::byte* map(const Descriptor& file, std::size_t bytes) {
  if (file.value() < 0) return nullptr;
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.value(), 0);
  return data == MAP_FAILED ? nullptr : static_cast<std::byte*>(data);
}

// Space is reserved now, so that a full file system is an error here and not a signal later.
std::byte* create_and_map(const std::string& name, std::size_t bytes) {
  const Descriptor file(shm_open(name.c_str(), O_CREAT | O_EXCL | O_RDWR, owner_only));
  if (file.value() < 0 || posix_fallocate(file.value(), 0, static_cast<off_t>(bytes)) != 0) {
    return nullptr;
  }
  return map(file, bytes);
}

std::byte* open_and_map(const std::string& name, std::size_t bytes) {
  return map(Descriptor(shm_open(name.c_str(), O_RDWR, owner_only)), bytes);
}

bool all_ranks(const Communicator& communicator, bool value) {
  return communicator.maximum(value ? 0.0 : 1.0) == 0.0;
}

}  // namespace

std::unique_ptr<SharedMemory> SharedMemory::create(const Communicator& communicator,
                                                   std::size_t bytes) {
  if (find_nodes(communicator).ranks_here != communicator.size()) return nullptr;
  const bool creates = communicator.rank() == 0;
  std::string name = creates ? random_name() : "";
  std::byte* data = creates ? create_and_map(name, bytes) : nullptr;
  name = communicator.broadcast(name, 0);
  if (!creates) data = open_and_map(name, bytes);
  std::unique_ptr<SharedMemory> memory;
  if (data != nullptr) memory.reset(new SharedMemory(data, bytes));
  const bool mapped = all_ranks(communicator, data != nullptr);
  if (creates) shm_unlink(name.c_str());
  if (!mapped) memory.reset();
  return memory;
}

SharedMemory::~SharedMemory() {
  munmap(data_, bytes_);
}

}  // namespace cnnplan
