// What the libraries say goes into the message.
#include "executor/backend/cudnn/check.hpp"

#include <array>
#include <string>

#include "planner/model/error.hpp"

namespace cnnplan::cudnn {
namespace {

bool says_no_device(cudaError_t status) {
  return status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver ||
         status == cudaErrorInitializationError || status == cudaErrorStubLibrary;
}

}  // namespace

void check_cuda(cudaError_t status, const char* call) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // it is dealt with here, not at the next launch
  const std::string said = cudaGetErrorString(status);
  if (says_no_device(status)) throw EnvironmentError("no CUDA device can be used: " + said);
  throw BackendError(std::string("cudnn: ") + call + ": " + said);
}

void check_cudnn(cudnnStatus_t status, const char* call) {
  if (status == CUDNN_STATUS_SUCCESS) return;
  std::array<char, 512> details{};
  cudnnGetLastErrorString(details.data(), details.size());
  std::string message = std::string("cudnn: ") + call + ": " + cudnnGetErrorString(status);
  if (details[0] != '\0') message += std::string(" (") + details.data() + ")";
  throw BackendError(message);
}

}  // namespace cnnplan::cudnn
