// Makes one GPU a device of the executor, with its properties, memory and streams.
#pragma once

#include "executor/backend/cudnn/cuda/cuda_streams.hpp"
#include "executor/backend/cudnn/cuda/installed_devices.hpp"
#include "executor/backend/device.hpp"

namespace cnnplan::cudnn {

// Implements Device for a GPU. The overriding functions do what Device says.
class CudaDevice final : public Device {
 public:
  // Makes `index` the current device of this thread. Calls of the object act on the current device
  // of their thread, which has to be this one.
  // @throws as use_device() (installed_devices.hpp), and BackendError where a stream fails
  explicit CudaDevice(int index);

  std::string name() const override { return properties_.name; }
  std::string place() const override { return place_of_device(properties_.index); }
  bool is_host() const override { return false; }
  std::int64_t memory_bytes() const override;
  std::int64_t peak_bytes() const override;
  int devices_here() const override { return count_devices().count; }
  MemoryBlock allocate(std::int64_t bytes) override;
  MemoryBlock allocate_staging(std::int64_t bytes) override;
  void select(Queue queue) override { streams_.select(queue); }
  void reserve_lanes(int lanes) override { streams_.reserve_lanes(lanes); }
  void select_lane(int lane) override { streams_.select_lane(lane); }
  void* native_queue() const override { return stream(); }
  void clear(void* memory, std::int64_t bytes) override;
  void copy_to_host(void* host, const void* device, std::int64_t bytes) override;
  void copy_to_device(void* device, const void* host, std::int64_t bytes) override;
  void copy(const BoxCopy& copy) override;
  void add(const BoxCopy& copy) override;
  bool are_finite(ElementType element, const void* memory, std::int64_t count) override;
  void synchronize() override { streams_.synchronize(); }
  std::unique_ptr<Event> make_event() override;
  std::unique_ptr<WorkGraph> capture(const std::function<void()>& enqueue) override;

  const DeviceProperties& properties() const { return properties_; }
  CudaStreams& streams() { return streams_; }
  // Returns the stream of the selected queue.
  cudaStream_t stream() const { return streams_.selected(); }

 private:
  DeviceProperties properties_;
  CudaStreams streams_;
  std::int64_t free_at_first_bytes_;
  MemoryBlock found_;       // set by are_finite(): one word on the device
  MemoryBlock found_copy_;  // and its copy on the host
};

}  // namespace cnnplan::cudnn
