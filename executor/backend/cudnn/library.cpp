// Sets up the handle. The values of a step travel through pinned memory.
#include "executor/backend/cudnn/library.hpp"

#include <chrono>
#include <new>

#include "executor/backend/cudnn/kernels/check.hpp"

namespace cnnplan::cudnn {
namespace {

constexpr std::int64_t step_bytes = sizeof(StepValues);
// Turing has tensor cores for fp16; Ampere and later GPUs have them for bf16 and TF32, too.
constexpr int ampere = 8;

double steady_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Library::Library(const Options& options)
    : options_(options),
      device_(options.device),
      step_(device_.allocate(step_bytes)),
      host_step_(device_.allocate_staging(step_bytes)),
      clocks_(options.clock_warmup_s, steady_s) {
  cudnnHandle_t handle = nullptr;
  check_cudnn(cudnnCreate(&handle), "cudnnCreate");
  handle_.reset(handle);
  handle_in_selected_queue();
  set_step({});
  device_.synchronize();
}

// cuDNN gives streams of its own the priority of the stream that was set last. So the handle does
// not follow queues in which it runs nothing.
cudnnHandle_t Library::handle_in_selected_queue() {
  cudaStream_t const stream = device_.stream();
  if (stream != stream_of_handle_) {
    check_cudnn(cudnnSetStream(handle_.get(), stream), "cudnnSetStream");
    stream_of_handle_ = stream;
  }
  return handle_.get();
}

std::string Library::versions() const {
  const std::size_t version = cudnnGetVersion();
  return "cuDNN " + std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) +
         "." + std::to_string(version % 100) + ", " + cuda_versions();
}

bool Library::supports(Precision precision) const {
  const bool needs_ampere = precision == Precision::bf16 || precision == Precision::tf32;
  return !needs_ampere || device_.properties().major >= ampere;
}

void Library::set_step(const StepValues& values) {
  new (host_step_.data()) StepValues(values);
  device_.copy_to_device(step_.data(), host_step_.data(), step_bytes);
}

}  // namespace cnnplan::cudnn
