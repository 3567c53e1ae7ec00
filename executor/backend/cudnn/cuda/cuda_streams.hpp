// Holds the streams of a GPU, one for each queue and lane, and knows which one is selected.
#pragma once

#include <cstddef>
#include <vector>

#include "executor/backend/cudnn/cuda/cuda_owner.hpp"
#include "executor/backend/device.hpp"

namespace cnnplan::cudnn {

using StreamOwner = CudaOwner<cudaStream_t, cudaStreamDestroy>;

// Owns the streams. Events and graphs refer to this object, so it can be neither moved nor copied.
class CudaStreams {
 public:
  // Makes the streams of the queues on the current device, and selects Queue::compute.
  // @throws as check_cuda(), as does reserve_lanes()
  CudaStreams();
  CudaStreams(const CudaStreams&) = delete;
  CudaStreams& operator=(const CudaStreams&) = delete;

  void select(Queue queue);
  // Makes the streams of lanes 1 to `lanes` - 1. Queue::compute is lane 0.
  void reserve_lanes(int lanes);
  // @throws std::logic_error where the lane was not reserved
  void select_lane(int lane);
  cudaStream_t selected() const { return streams_[selected_].get(); }
  // Returns the selected lane; 0 while any queue is selected.
  std::size_t lane() const { return selected_ < queue_count ? 0 : selected_ - queue_count + 1; }
  // The host waits for the work of all streams.
  // @throws DeviceLostError where some work failed for good, else BackendError
  void synchronize() const;

 private:
  static constexpr std::size_t queue_count = 4;

  void select_stream(std::size_t wanted);

  std::vector<StreamOwner> streams_;  // by queue, then by lane from lane 1 on
  int least_priority_ = 0;
  std::size_t selected_ = 0;
};

}  // namespace cnnplan::cudnn
