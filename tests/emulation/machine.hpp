// Holds everything that the emulated interfaces keep. They are C interfaces, so there is one
// machine.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tests/emulation/device.hpp"
#include "tests/emulation/graph.hpp"
#include "tests/emulation/injections.hpp"
#include "tests/emulation/memory.hpp"
#include "tests/emulation/scheduler.hpp"

struct CUstream_st {
  int device = 0;
  bool blocking = true;  // waits for the default stream, and is waited for by it
  cnnplan::emulation::Queue* queue = nullptr;
  std::shared_ptr<cnnplan::emulation::Capture> capture;  // null when not captured
  cnnplan::emulation::Frontier frontier;
  int polls = 0;
};

struct CUevent_st {
  int device = 0;
  bool timing = true;
  cnnplan::emulation::ItemPtr recorded;  // null when never
  std::shared_ptr<cnnplan::emulation::Capture> capture;
  cnnplan::emulation::Frontier frontier;
  int polls = 0;
};

namespace cnnplan::emulation {

// Holds the objects of handles. A handle that is not in here is not valid.
template <typename T>
using Handles = std::map<T*, std::unique_ptr<T>>;

// Describes an object that a library above the runtime made.
struct LibraryObject {
  std::string kind;  // in the plural, for leaks()
  std::shared_ptr<void> object;
};

struct Machine {
  std::recursive_mutex mutex;
  Options options;
  Counters counters;
  Injections injections;
  DeviceMemory memory;
  PinnedMemory pinned;
  Scheduler scheduler;
  Handles<CUstream_st> streams;
  std::vector<std::unique_ptr<CUstream_st>> default_streams;  // one per device
  Handles<CUevent_st> events;
  Handles<CUgraph_st> graphs;
  Handles<CUgraphExec_st> graph_execs;
  std::map<const void*, LibraryObject> library_objects;  // by handle
  cudaError_t sticky = cudaSuccess;  // work that failed: from then on everything fails
};
Machine& machine();

// Holds what CUDA keeps per thread.
struct ThreadState {
  int device = 0;
  cudaError_t last_error = cudaSuccess;
};
ThreadState& thread_state();

template <typename T>
T* add_handle(Handles<T>& handles, std::unique_ptr<T> object) {
  T* handle = object.get();
  handles.emplace(handle, std::move(object));
  return handle;
}
template <typename T>
T* find_handle(const Handles<T>& handles, T* handle) {
  return handles.count(handle) == 1 ? handle : nullptr;
}

}  // namespace cnnplan::emulation
