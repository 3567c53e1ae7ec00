// One GPU: three streams and one for each further lane, memory of the card, and pinned memory of
// the host.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "executor/backend/cudnn/cuda_handles.hpp"
#include "executor/backend/device.hpp"

namespace cnnplan::cudnn {

// It says how many GPUs can be used.
struct DeviceCount {
  int count = 0;
  std::string why_none;     // the words of the runtime, e.g. for a driver that is too old
  bool has_driver = false;  // true for a driver of any version
  bool is_broken = false;   // true where the runtime failed, although there may be a device
};
DeviceCount count_devices();
// Returns how many GPUs can be used, which is at least one. `advice` ends the message where there
// is none.
// @throws EnvironmentError where there is none, BackendError where the runtime fails
int require_devices(const std::string& advice);
// Returns the versions of the runtime and of the driver, such as 13.0.
// @throws EnvironmentError, BackendError
std::string cuda_versions();

class CudaDevice final : public Device {
 public:
  // Makes `index` the current device of this thread. All calls of the object are made for it.
  // @throws EnvironmentError where there is no such device
  explicit CudaDevice(int index);
  ~CudaDevice() override;
  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;

  std::string name() const override { return name_; }
  std::string place() const override;
  bool is_host() const override { return false; }
  std::int64_t memory_bytes() const override { return memory_bytes_; }
  int devices_here() const override { return count_devices().count; }
  MemoryBlock allocate(std::int64_t bytes) override;
  MemoryBlock allocate_staging(std::int64_t bytes) override;
  void select(Queue queue) override;
  void reserve_lanes(int lanes) override;
  void select_lane(int lane) override;
  void* native_queue() const override { return stream(); }
  void clear(void* memory, std::int64_t bytes) override;
  void copy_to_host(void* host, const void* device, std::int64_t bytes) override;
  void copy_to_device(void* device, const void* host, std::int64_t bytes) override;
  void copy(const BoxCopy& copy) override;
  void add(const BoxCopy& copy) override;
  void synchronize() override;
  std::unique_ptr<Event> make_event() override;
  std::unique_ptr<WorkGraph> capture(const std::function<void()>& enqueue) override;
  // Puts a copy from one block of the device's memory to another in the selected queue.
  void copy_on_device(void* to, const void* from, std::int64_t bytes);

  // Returns the stream of the selected queue.
  cudaStream_t stream() const { return streams_[selected_].get(); }
  // Returns the selected lane; 0 where the selected queue is none of kernels.
  std::size_t lane() const { return selected_ < queue_count ? 0 : selected_ - queue_count + 1; }
  // `action` is called with the stream of a queue when the queue is selected.
  void on_select(std::function<void(cudaStream_t)> action) { on_select_ = std::move(action); }
  int index() const { return index_; }
  int major() const { return major_; }
  int minor() const { return minor_; }
  std::int64_t l2_cache_bytes() const { return l2_cache_bytes_; }
  // These are the largest clocks of the processor and of the memory.
  int clock_mhz() const { return clock_mhz_; }
  int memory_clock_mhz() const { return memory_clock_mhz_; }

 private:
  static constexpr std::size_t queue_count = 3;

  void select_stream(std::size_t stream);

  int index_;
  std::string name_;
  std::int64_t memory_bytes_ = 0;
  int major_ = 0;
  int minor_ = 0;
  std::int64_t l2_cache_bytes_ = 0;
  int clock_mhz_ = 0;
  int memory_clock_mhz_ = 0;
  std::vector<StreamOwner> streams_;  // by queue, then by lane from lane 1 on
  int least_priority_ = 0;
  std::size_t selected_ = 0;
  std::function<void(cudaStream_t)> on_select_;
};

}  // namespace cnnplan::cudnn
