// Puts kernels that are compiled for the host into a stream.
#include "tests/emulation/enqueue.hpp"

#include <mutex>
#include <utility>

#include "tests/emulation/call.hpp"
#include "tests/emulation/submit.hpp"

namespace cnnplan::emulation {
namespace {

cudaError_t launch(cudaStream_t handle, std::function<void()> work) {
  const CUstream_st* stream = find_stream(handle);
  if (stream == nullptr || stream->device != thread_state().device) {
    return cudaErrorInvalidResourceHandle;
  }
  return submit(handle, [work = std::move(work)] {
    ++machine().counters.kernels;
    work();
  });
}

}  // namespace

void enqueue(cudaStream_t stream, std::function<void()> work) {
  call("kernel", [&] { return launch(stream, std::move(work)); });
}

}  // namespace cnnplan::emulation

namespace cnnplan::cudnn {

void run_on_host(cudaStream_t stream, std::function<void()> work) {
  emulation::enqueue(stream, std::move(work));
}

}  // namespace cnnplan::cudnn
