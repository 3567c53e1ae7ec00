// Does what every function of the cuDNN interface does first and last.
#pragma once

#include <mutex>
#include <stdexcept>
#include <string>

#include <cudnn.h>

#include "tests/emulation/machine.hpp"

namespace cnnplan::emulation {

struct CudnnError : std::runtime_error {
  CudnnError(cudnnStatus_t code, const std::string& text)
      : std::runtime_error(text), status(code) {}
  cudnnStatus_t status;
};

// @throws CudnnError
inline void require(bool condition, cudnnStatus_t status, const std::string& text) {
  if (!condition) throw CudnnError(status, text);
}
inline void require(bool condition, const std::string& text) {
  require(condition, CUDNN_STATUS_BAD_PARAM, text);
}

// Counts the call. @throws CudnnError where it cannot go on
void admit_cudnn(const char* function);
// Remembers the text for cudnnGetLastErrorString.
cudnnStatus_t finish_cudnn(const char* function, const CudnnError& error);

template <typename Body>
cudnnStatus_t cudnn_call(const char* function, Body body) {
  const std::lock_guard lock(machine().mutex);
  try {
    admit_cudnn(function);
    body();
    return CUDNN_STATUS_SUCCESS;
  } catch (const CudnnError& error) {
    return finish_cudnn(function, error);
  }
}

}  // namespace cnnplan::emulation

struct cudnnContext {
  int device = 0;
  cudaStream_t stream = nullptr;
};

namespace cnnplan::emulation {

// @throws CudnnError when there is no such handle
cudnnContext& context_of(cudnnHandle_t handle);

}  // namespace cnnplan::emulation
