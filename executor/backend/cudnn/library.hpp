// Holds the device, the cuDNN handle, the workspaces and the options that all kernels of one
// backend share.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include <cudnn.h>

#include "executor/backend/backend.hpp"
#include "executor/backend/cudnn/clock_warmup.hpp"
#include "executor/backend/cudnn/cuda/cuda_device.hpp"
#include "executor/backend/cudnn/kernels/step_values.hpp"
#include "executor/backend/cudnn/workspace.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan::cudnn {

// Holds the options of the cuDNN backend.
struct Options {
  int device = 0;                             // its index on this machine
  bool deterministic = false;                 // only engines that give the same bits every time
  int engine_trials = default_engine_trials;  // at most this many engines are tried per variant
  // Engines that want a larger workspace are not tried.
  std::int64_t most_workspace_bytes = default_workspace_bytes;
  double clock_warmup_s = 0.0;  // of work before engines are timed, if the device was idle
  // The library calls it with a line of text before an engine runs for the first time, and after it
  // failed. It may be empty.
  std::function<void(const std::string& line)> note = {};
};

// Owns what the kernels of a backend share, and outlives all of them.
class Library {
 public:
  // Makes options.device the current device of this thread.
  // @throws as use_device() and Device::allocate(), and BackendError where cuDNN fails
  explicit Library(const Options& options);

  const Options& options() const { return options_; }
  CudaDevice& device() { return device_; }
  // Returns the handle for calls that put no work in a queue.
  cudnnHandle_t handle() const { return handle_.get(); }
  // Returns the handle, which now puts work in the selected queue. @throws BackendError
  cudnnHandle_t handle_in_selected_queue();
  // Returns a text such as "cuDNN 9.19.0, CUDA 13.0, driver for CUDA 13.0".
  // @throws as cuda_versions()
  std::string versions() const;
  // Returns whether the device has instructions for the precision.
  bool supports(Precision precision) const;
  // Returns the workspace of the selected lane.
  Workspace& workspace() {
    const std::size_t lane = device_.streams().lane();
    while (workspaces_.size() <= lane) workspaces_.emplace_back(device_);
    return workspaces_[lane];
  }
  ClockWarmup& clocks() { return clocks_; }
  // Returns the values of the step, in memory of the device.
  const StepValues* step() const { return reinterpret_cast<const StepValues*>(step_.data()); }
  // Sets the values of the step, by a copy that it puts in the selected queue.
  // @pre the work that was put in a queue before the last call is done
  void set_step(const StepValues& values);
  // A key is alone(spec) (planner/kernel/kernel.hpp) with KernelConstants::begins_inside. An empty
  // name stands for no choice.
  using ChoiceKey = std::pair<KernelSpec, bool>;
  using Choices = std::map<ChoiceKey, std::string>;
  // Returns the names of the implementations that were chosen by timing.
  Choices& choices() { return choices_; }
  // Returns the names of those that always give equal bits and were taken untimed.
  Choices& reproducible_choices() { return reproducible_choices_; }

 private:
  struct HandleDeleter {
    void operator()(cudnnHandle_t handle) const { cudnnDestroy(handle); }
  };

  Options options_;
  CudaDevice device_;
  std::unique_ptr<std::remove_pointer_t<cudnnHandle_t>, HandleDeleter> handle_;
  cudaStream_t stream_of_handle_ = nullptr;  // no queue has this stream
  std::deque<Workspace> workspaces_;         // by lane
  MemoryBlock step_;
  MemoryBlock host_step_;  // pinned: read when the copy runs
  Choices choices_;
  Choices reproducible_choices_;
  ClockWarmup clocks_;
};

}  // namespace cnnplan::cudnn
