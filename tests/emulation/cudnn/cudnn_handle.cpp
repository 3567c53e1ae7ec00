// Implements handles, versions and errors of cuDNN.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/emulation/cudnn/cudnn_call.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace cnnplan::emulation {
namespace {

std::string& last_text() {
  thread_local std::string text;
  return text;
}

}  // namespace

void admit_cudnn(const char* function) {
  Machine& all = machine();
  require(!all.scheduler.inside_work(), CUDNN_STATUS_INTERNAL_ERROR, "called from enqueued work");
  if (const int error = all.injections.next(function); error != 0) {
    throw CudnnError(static_cast<cudnnStatus_t>(error), "injected error");
  }
  require(all.options.device_count > 0, CUDNN_STATUS_NOT_INITIALIZED, "no device");
  require(all.sticky == cudaSuccess, CUDNN_STATUS_EXECUTION_FAILED_CUDART, "work failed earlier");
}

cudnnStatus_t finish_cudnn(const char* function, const CudnnError& error) {
  last_text() = std::string(function) + ": " + error.what();
  return error.status;
}

cudnnContext& context_of(cudnnHandle_t handle) {
  const auto found = machine().library_objects.find(handle);
  const bool known =
      found != machine().library_objects.end() && found->second.kind == "cuDNN handles";
  require(known, "not a handle");
  return *handle;
}

}  // namespace cnnplan::emulation

cudnnStatus_t cudnnCreate(cudnnHandle_t* handle) {
  return cudnn_call(__func__, [&] {
    require(handle != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no place for the handle");
    auto context = std::make_shared<cudnnContext>();
    context->device = thread_state().device;
    *handle = context.get();
    machine().library_objects[context.get()] = {.kind = "cuDNN handles", .object = context};
  });
}

cudnnStatus_t cudnnDestroy(cudnnHandle_t handle) {
  return cudnn_call(__func__, [&] {
    context_of(handle);
    machine().library_objects.erase(handle);
  });
}

cudnnStatus_t cudnnSetStream(cudnnHandle_t handle, cudaStream_t stream) {
  return cudnn_call(__func__, [&] {
    cudnnContext& context = context_of(handle);
    const CUstream_st* found = find_stream(stream);
    require(found != nullptr, "not a stream");
    require(found->device == context.device,
            CUDNN_STATUS_BAD_PARAM_STREAM_MISMATCH,
            "the stream is of another device than the handle");
    context.stream = stream;
  });
}

cudnnStatus_t cudnnGetStream(cudnnHandle_t handle, cudaStream_t* stream) {
  return cudnn_call(__func__, [&] {
    require(stream != nullptr, CUDNN_STATUS_BAD_PARAM_NULL_POINTER, "no place for the stream");
    *stream = context_of(handle).stream;
  });
}

std::size_t cudnnGetVersion() {
  return CUDNN_VERSION;
}
std::size_t cudnnGetCudartVersion() {
  return CUDART_VERSION;
}

const char* cudnnGetErrorString(cudnnStatus_t status) {
  switch (CUDNN_STATUS_CATEGORY(status)) {
    case 0:
      return "CUDNN_STATUS_SUCCESS";
    case 1000:
      return "CUDNN_STATUS_NOT_INITIALIZED";
    case CUDNN_STATUS_BAD_PARAM:
      return "CUDNN_STATUS_BAD_PARAM";
    case CUDNN_STATUS_NOT_SUPPORTED:
      return "CUDNN_STATUS_NOT_SUPPORTED";
    case CUDNN_STATUS_INTERNAL_ERROR:
      return "CUDNN_STATUS_INTERNAL_ERROR";
    case CUDNN_STATUS_EXECUTION_FAILED:
      return "CUDNN_STATUS_EXECUTION_FAILED";
    default:
      return "CUDNN_UNKNOWN_STATUS";
  }
}

void cudnnGetLastErrorString(char* message, std::size_t max_size) {
  if (message == nullptr || max_size == 0) return;
  std::string& text = last_text();
  const std::size_t length = std::min(text.size(), max_size - 1);
  text.copy(message, length);
  message[length] = '\0';
  text.clear();
}
