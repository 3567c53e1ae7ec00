// Names the errors of the CUDA runtime, with their texts.
#include <array>

#include "tests/emulation/machine.hpp"

using namespace cnnplan::emulation;

namespace {

struct ErrorText {
  cudaError_t error;
  const char* name;
  const char* text;
};

constexpr std::array texts{
    ErrorText{cudaSuccess, "cudaSuccess", "no error"},
    ErrorText{cudaErrorInvalidValue, "cudaErrorInvalidValue", "invalid argument"},
    ErrorText{cudaErrorMemoryAllocation, "cudaErrorMemoryAllocation", "out of memory"},
    ErrorText{cudaErrorInitializationError, "cudaErrorInitializationError", "initialization error"},
    ErrorText{cudaErrorMisalignedAddress, "cudaErrorMisalignedAddress", "misaligned address"},
    ErrorText{cudaErrorInsufficientDriver,
              "cudaErrorInsufficientDriver",
              "CUDA driver version is insufficient for CUDA runtime version"},
    ErrorText{cudaErrorNoDevice, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    ErrorText{cudaErrorInvalidDevice, "cudaErrorInvalidDevice", "invalid device ordinal"},
    ErrorText{cudaErrorInvalidMemcpyDirection,
              "cudaErrorInvalidMemcpyDirection",
              "invalid copy direction for memcpy"},
    ErrorText{cudaErrorInvalidResourceHandle,
              "cudaErrorInvalidResourceHandle",
              "invalid resource handle"},
    ErrorText{cudaErrorIllegalState, "cudaErrorIllegalState", "the operation cannot be performed"},
    ErrorText{cudaErrorNotReady, "cudaErrorNotReady", "device not ready"},
    ErrorText{cudaErrorIllegalAddress,
              "cudaErrorIllegalAddress",
              "an illegal memory access was encountered"},
    ErrorText{cudaErrorLaunchFailure, "cudaErrorLaunchFailure", "unspecified launch failure"},
    ErrorText{cudaErrorNotPermitted, "cudaErrorNotPermitted", "operation not permitted"},
    ErrorText{cudaErrorNotSupported, "cudaErrorNotSupported", "operation not supported"},
    ErrorText{cudaErrorStreamCaptureUnsupported,
              "cudaErrorStreamCaptureUnsupported",
              "operation not permitted when stream is capturing"},
    ErrorText{cudaErrorStreamCaptureInvalidated,
              "cudaErrorStreamCaptureInvalidated",
              "operation failed due to a previous error during capture"},
    ErrorText{cudaErrorStreamCaptureMerge,
              "cudaErrorStreamCaptureMerge",
              "operation would result in a merge of separate capture sequences"},
    ErrorText{cudaErrorStreamCaptureUnmatched,
              "cudaErrorStreamCaptureUnmatched",
              "capture was not ended in the same stream as it began"},
    ErrorText{cudaErrorStreamCaptureUnjoined,
              "cudaErrorStreamCaptureUnjoined",
              "capturing stream has unjoined work"},
    ErrorText{cudaErrorStreamCaptureIsolation,
              "cudaErrorStreamCaptureIsolation",
              "dependency created on uncaptured work in another stream"},
    ErrorText{cudaErrorStreamCaptureImplicit,
              "cudaErrorStreamCaptureImplicit",
              "operation would make the legacy stream depend on a capturing blocking stream"},
    ErrorText{cudaErrorCapturedEvent,
              "cudaErrorCapturedEvent",
              "operation not permitted on an event last recorded in a capturing stream"},
    ErrorText{cudaErrorUnknown, "cudaErrorUnknown", "unknown error"},
};

const ErrorText& text_of(cudaError_t error) {
  for (const ErrorText& text : texts) {
    if (text.error == error) return text;
  }
  static constexpr ErrorText unknown{
      cudaErrorUnknown, "unrecognized error code", "unrecognized error code"};
  return unknown;
}

}  // namespace

cudaError_t cudaPeekAtLastError() {
  const std::lock_guard lock(machine().mutex);
  return machine().sticky != cudaSuccess ? machine().sticky : thread_state().last_error;
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = cudaPeekAtLastError();
  thread_state().last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorName(cudaError_t error) {
  return text_of(error).name;
}
const char* cudaGetErrorString(cudaError_t error) {
  return text_of(error).text;
}
