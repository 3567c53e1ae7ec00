// Says which exception a status becomes. The message holds the words of the library.
#include "executor/backend/cudnn/kernels/check.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "planner/base/error.hpp"

namespace cnnplan::cudnn {
namespace {

// The process must end after these errors. Where a newer runtime has others, the device does not
// answer after them either (first_run.hpp).
constexpr std::array sticky_errors{cudaErrorECCUncorrectable,
                                   cudaErrorNvlinkUncorrectable,
                                   cudaErrorIllegalAddress,
                                   cudaErrorLaunchTimeout,
                                   cudaErrorAssert,
                                   cudaErrorHardwareStackError,
                                   cudaErrorIllegalInstruction,
                                   cudaErrorMisalignedAddress,
                                   cudaErrorInvalidAddressSpace,
                                   cudaErrorInvalidPc,
                                   cudaErrorMpsClientTerminated,
                                   cudaErrorExternalDevice,
                                   cudaErrorLaunchFailure};

bool is_sticky(cudaError_t status) {
  return std::find(sticky_errors.begin(), sticky_errors.end(), status) != sticky_errors.end();
}

}  // namespace

bool says_no_device(cudaError_t status) {
  return status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ||
         status == cudaErrorStubLibrary;
}

void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // The next launch must not report this error again.
  const std::string said = cudaGetErrorString(status);
  if (says_no_device(status)) throw EnvironmentError("no CUDA device can be used: " + said);
  const std::string message = std::string("cudnn: ") + call + ": " + said;
  if (is_sticky(status)) throw DeviceLostError(message);
  if (status == cudaErrorMemoryAllocation) throw DeviceMemoryError(message);
  throw BackendError(message);
}

void check_cudnn(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> details{};
  cudnnGetLastErrorString(details.data(), details.size());
  std::string message = std::string("cudnn: ") + call + ": " + cudnnGetErrorString(status);
  if (details[0] != '\0') message += std::string(" (") + details.data() + ")";
  if (status == CUDNN_STATUS_ALLOC_FAILED) throw DeviceMemoryError(message);
  throw BackendError(message);
}

}  // namespace cnnplan::cudnn
