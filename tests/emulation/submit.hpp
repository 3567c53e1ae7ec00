// Declares how work gets into a stream, or into the graph that the stream is captured to.
#pragma once

#include <functional>

#include "tests/emulation/machine.hpp"

namespace cnnplan::emulation {

// Returns the stream of a handle, also the default stream; null when there is none.
CUstream_st* find_stream(cudaStream_t handle);
cudaError_t submit(cudaStream_t handle, std::function<void()> work);
// Describes work that waits for another process; `ready` says when it would not wait.
cudaError_t submit_waiting(cudaStream_t handle,
                           std::function<void()> work,
                           std::function<bool()> ready);
// Returns a new item at the end of the stream, after everything that the stream has to wait for.
// @pre the stream is not captured
ItemPtr push_item(CUstream_st& stream,
                  std::function<void()> work,
                  std::function<bool()> ready = nullptr);
// The default stream cannot be used while a stream that it would wait for is captured.
cudaError_t check_default_stream(const CUstream_st& stream);

// Waits for all work of the stream. Returns the error of work that failed.
cudaError_t wait_for(CUstream_st& stream);
cudaError_t wait_for(const ItemPtr& item);
cudaError_t wait_for_device();

}  // namespace cnnplan::emulation
