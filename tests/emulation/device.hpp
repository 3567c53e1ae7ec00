// Controls the emulated devices: their properties, their counters, and the failures that a test
// asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace cnnplan::emulation {

// Says when enqueued work runs. Every schedule keeps the order that streams and events ask for.
enum class Schedule {
  lazy,    // only when the host waits for it, and then no more than the wait needs
  random,  // as lazy, but now and then other work that can run is run first, by `seed`
  eager,   // at once; a test that fails only with the other schedules lacks a synchronisation
};

// Returns false where CNNPLAN_EMULATED_CLOSED_MEMORY is 0.
bool is_closed_by_default();

struct Options {
  int device_count = 1;
  // Calls return this error when there is no device. It may be cudaErrorInsufficientDriver instead.
  cudaError_t no_device_error = cudaErrorNoDevice;
  std::size_t memory_bytes = std::size_t{1} << 30;  // per device
  int compute_major = 9;
  int compute_minor = 0;
  std::string device_name = "Emulated GPU";
  int driver_version = CUDART_VERSION;  // 0: no driver is installed
  bool peer_access = true;
  // Where this is false, a host that touches device memory is not caught, and tests are up to eight
  // times faster.
  bool closed_memory = is_closed_by_default();
  Schedule schedule = Schedule::lazy;
  std::uint64_t seed = 0;     // chooses the random schedule and the order of a graph's nodes
  int polls_until_ready = 3;  // queries of an event or stream until it is found ready

  bool cudnn_fused_graphs = true;         // one engine runs convolution + bias + relu
  bool cudnn_compiles_fused = false;      // true: that engine says that it is compiled at run time
  bool cudnn_asymmetric_padding = true;   // one engine pads differently before and after
  int cudnn_tensor_channels = 1;          // their engine wants multiples of it as input channels
  bool nccl_one_rank_per_device = false;  // true: two ranks on one device are refused, as NCCL does
  double event_s = 0.0;                   // that recording an event takes in a graph
  double synchronise_s = 0.0;             // from the end of a stream's work until the host sees it
  double nccl_timeout_s = 60.0;           // until a rank that waits for others gives up
};

// Returns the options with which a program begins that knows nothing of the emulation. They are the
// defaults, changed by CNNPLAN_EMULATED_DEVICES, _SCHEDULE (lazy, random, eager), _SEED,
// _ASYMMETRIC_PADDING (0, 1) and _CLOSED_MEMORY (0, 1). In addition, such a program passes
// CNNPLAN_EMULATED_FAILURE=FUNCTION:NTH:ERROR to fail().
Options options_of_environment();

// Forgets everything, whether or not it was freed, and starts with new devices. Call this function
// between tests. Afterwards, the calling thread is on device 0 and has no error.
void reset(const Options& options = {});

// The counters start at the last reset.
struct Counters {
  std::int64_t kernels = 0;  // also of libraries, and of a graph at each launch of it
  std::int64_t copies = 0;
  std::int64_t copied_bytes = 0;
  std::int64_t memsets = 0;
  std::int64_t graph_launches = 0;
  std::int64_t allocations = 0;       // calls of cudaMalloc that succeeded
  std::int64_t synchronisations = 0;  // times the host waited for a device
  std::size_t used_bytes = 0;         // device memory, now
  std::size_t peak_bytes = 0;
};
Counters counters();
// Returns how often an interface function was called, such as "cudaMalloc".
std::int64_t calls(const std::string& function);

// Returns the objects that are not freed yet, such as "3 streams"; empty when nothing is left.
std::vector<std::string> leaks();

// Makes the `nth` call from now on (1: the next) of this function return `error` and do nothing.
// Functions have their names in CUDA, cuDNN or NCCL. There are four further names. "kernel" is the
// launch of a kernel, whose error cudaGetLastError returns. "work" is anything that is enqueued:
// it fails when it runs, and all later calls return `error`. "engine" is work of an engine of
// cuDNN. "nccl" is work of NCCL: it never ends, and ncclCommGetAsyncError returns `error`.
void fail(const std::string& function, int nth, int error);

}  // namespace cnnplan::emulation
