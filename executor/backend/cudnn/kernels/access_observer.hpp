// Tells a test which memory kernels read and write, where they are compiled for the host. Kernels
// on a GPU are not observed.
#pragma once

#include <cstddef>

#include "executor/backend/host_device.hpp"

namespace cnnplan::cudnn {

#ifdef __CUDACC__

CNNPLAN_HOST_DEVICE inline void observe_read(const void*, std::size_t) {}
CNNPLAN_HOST_DEVICE inline void observe_write(const void*, std::size_t) {}

#else

// Is told of every access by fetch() and store() (vectors.hpp), before the access.
class AccessObserver {
 public:
  virtual ~AccessObserver() = default;
  virtual void read(const void* memory, std::size_t bytes) = 0;
  virtual void write(const void* memory, std::size_t bytes) = 0;
};

// Is null unless a test observes kernels.
inline AccessObserver* access_observer = nullptr;

inline void observe_read(const void* memory, std::size_t bytes) {
  if (access_observer != nullptr) access_observer->read(memory, bytes);
}
inline void observe_write(const void* memory, std::size_t bytes) {
  if (access_observer != nullptr) access_observer->write(memory, bytes);
}

#endif

}  // namespace cnnplan::cudnn
