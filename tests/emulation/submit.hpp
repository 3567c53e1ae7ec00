// How work gets into a stream, or into the graph that the stream is captured to.
#pragma once

#include <functional>

#include "tests/emulation/machine.hpp"

namespace cnnplan::emulation {

// The stream behind a handle, the default stream included; null when there is none.
CUstream_st* find_stream(cudaStream_t handle);
cudaError_t submit(cudaStream_t handle, std::function<void()> work);
// Work that waits for another process; `ready` tells when it would not.
cudaError_t submit_waiting(cudaStream_t handle,
                           std::function<void()> work,
                           std::function<bool()> ready);
// The item at the end of the stream, new, behind everything that the stream has to wait for.
// @pre the stream is not captured
ItemPtr push_item(CUstream_st& stream,
                  std::function<void()> work,
                  std::function<bool()> ready = nullptr);
// The default stream cannot be used while a stream that it would wait for is captured.
cudaError_t check_default_stream(const CUstream_st& stream);

// Waits for all work of the stream; the error of work that failed.
cudaError_t wait_for(CUstream_st& stream);
cudaError_t wait_for(const ItemPtr& item);
cudaError_t wait_for_device();

}  // namespace cnnplan::emulation
