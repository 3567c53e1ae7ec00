// Shares files between ranks in shared memory.
#include "tests/emulation/nccl/nccl_board.hpp"

#include <chrono>
#include <stdexcept>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/emulation/machine.hpp"

namespace cnnplan::emulation {
namespace {

std::byte* map_and_close(int file, std::size_t bytes) {
  void* data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (data == MAP_FAILED) throw std::runtime_error("cannot map shared memory");
  return static_cast<std::byte*>(data);
}

}  // namespace

SharedFile SharedFile::create(const std::string& name, std::size_t bytes) {
  const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
  if (file < 0) throw std::runtime_error("cannot create " + name);
  if (ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    close(file);
    throw std::runtime_error("cannot extend " + name);
  }
  return {map_and_close(file, bytes), bytes};
}

std::optional<SharedFile> SharedFile::open(const std::string& name) {
  const int file = shm_open(name.c_str(), O_RDWR, 0);
  if (file < 0) return std::nullopt;
  struct stat status {};
  if (fstat(file, &status) != 0 || status.st_size == 0) {
    close(file);
    return std::nullopt;
  }
  const auto bytes = static_cast<std::size_t>(status.st_size);
  return SharedFile(map_and_close(file, bytes), bytes);
}

SharedFile::SharedFile(SharedFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(other.bytes_) {}

SharedFile::~SharedFile() {
  if (data_ != nullptr) munmap(data_, bytes_);
}

void remove_shared_file(const std::string& name) {
  shm_unlink(name.c_str());
}

void wait_until(const std::function<bool()>& condition,
                const std::atomic<bool>& aborted,
                const std::function<void()>& meanwhile) {
  using Clock = std::chrono::steady_clock;
  const std::chrono::duration<double> limit(machine().options.nccl_timeout_s);
  const auto start = Clock::now();
  for (int sleeps = 1; !condition(); ++sleeps) {
    if (aborted) throw std::runtime_error("the communicator was aborted");
    if (Clock::now() - start > limit) {
      throw std::runtime_error(
          "another rank did not come: it did not call, or nothing made it wait for its stream");
    }
    std::this_thread::sleep_for(std::chrono::microseconds(50));
    constexpr int patience = 200;
    if (sleeps % patience == 0) meanwhile();
  }
}

}  // namespace cnnplan::emulation
