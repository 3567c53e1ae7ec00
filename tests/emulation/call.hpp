// Does what every function of the CUDA interface does first and last.
#pragma once

#include <mutex>

#include "tests/emulation/machine.hpp"

namespace cnnplan::emulation {

// Counts the call. Returns the error with which it ends before it starts: an injected error, the
// error of failed work, a missing device, or a call from inside enqueued work.
cudaError_t admit(const char* function);
// Remembers an error for cudaGetLastError.
cudaError_t finish(cudaError_t result);

template <typename Body>
cudaError_t call(const char* function, Body body) {
  const std::lock_guard lock(machine().mutex);
  const cudaError_t refused = admit(function);
  return finish(refused == cudaSuccess ? body() : refused);
}

// Ends a capture that forbids this thread to wait or to allocate, and returns its error.
cudaError_t check_no_capture();

// Does what `call` does, for calls that CUDA forbids while a stream is captured: they end the
// capture.
template <typename Body>
cudaError_t call_outside_capture(const char* function, Body body) {
  return call(function, [&]() -> cudaError_t {
    const cudaError_t capturing = check_no_capture();
    return capturing == cudaSuccess ? body() : capturing;
  });
}

}  // namespace cnnplan::emulation
