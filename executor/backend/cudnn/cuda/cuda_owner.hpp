// Owns a handle of the CUDA runtime.
#pragma once

#include <memory>
#include <type_traits>

#include <cuda_runtime_api.h>

namespace cnnplan::cudnn {

// Deletes a handle by a function such as cudaStreamDestroy.
template <auto destroy>
struct HandleDeleter {
  template <typename Object>
  void operator()(Object* handle) const {
    destroy(handle);
  }
};

// Owns a handle such as cudaStream_t, which is a pointer.
template <typename Handle, auto destroy>
using CudaOwner = std::unique_ptr<std::remove_pointer_t<Handle>, HandleDeleter<destroy>>;

}  // namespace cnnplan::cudnn
