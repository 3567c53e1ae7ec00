// Lets the ranks of one machine meet through files in shared memory.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace cnnplan::emulation {

// Holds a mapped file of /dev/shm. Fresh files are zero.
class SharedFile {
 public:
  // @throws std::runtime_error
  static SharedFile create(const std::string& name, std::size_t bytes);
  // Returns nothing when there is no file, or the file has no size yet.
  static std::optional<SharedFile> open(const std::string& name);
  SharedFile(SharedFile&&) noexcept;
  SharedFile& operator=(SharedFile&&) = delete;
  ~SharedFile();

  std::byte* data() const { return data_; }
  std::size_t size_bytes() const { return bytes_; }

 private:
  SharedFile(std::byte* data, std::size_t bytes) : data_(data), bytes_(bytes) {}
  std::byte* data_;
  std::size_t bytes_;
};
void remove_shared_file(const std::string& name);

// Holds what the ranks announce.
struct Meeting {
  static constexpr int max_ranks = 64;
  std::atomic<int> arrived;
  std::atomic<int> seen;      // ranks that have read what the others announced
  std::atomic<bool> aborted;  // by some rank
  int devices[max_ranks];     // number of the device of each rank
};

// Holds what one rank gives to one reduction. It is removed when all ranks have read it.
struct MessageHeader {
  std::atomic<bool> complete;
  std::atomic<int> readers;
  std::size_t count;
  int type;
};

// Sleeps until `condition` holds, and calls `meanwhile` now and then. @throws std::runtime_error
// after the time limit of the options, or when `aborted` is set
void wait_until(const std::function<bool()>& condition,
                const std::atomic<bool>& aborted,
                const std::function<void()>& meanwhile);

}  // namespace cnnplan::emulation
