// Controls the emulated devices: their properties, their counters, and the failures that a test
// asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

namespace cnnplan::emulation {

// When enqueued work runs. Every schedule keeps the order that streams and events ask for.
enum class Schedule {
  lazy,    // only when the host waits for it, and then no more than the wait needs
  random,  // other work that could run runs before it now and then, by `seed`
  eager,   // at once: a test that fails with the other schedules only lacks a synchronisation
};

// Returns false where CNNPLAN_EMULATED_CLOSED_MEMORY is 0.
bool is_closed_by_default();

struct Options {
  int device_count = 1;
  // Calls return this error when there is no device. Another one is cudaErrorInsufficientDriver.
  cudaError_t no_device_error = cudaErrorNoDevice;
  std::size_t memory_bytes = std::size_t{1} << 30;  // per device
  int compute_major = 9;
  int compute_minor = 0;
  std::string device_name = "Emulated GPU";
  int driver_version = CUDART_VERSION;  // 0: none is installed
  bool peer_access = true;
  // False: the host that touches device memory is not caught, and tests are up to eight times
  // faster.
  bool closed_memory = is_closed_by_default();
  Schedule schedule = Schedule::lazy;
  std::uint64_t seed = 0;     // of the schedule, and of the order in which a graph's nodes run
  int polls_until_ready = 3;  // queries of an event or stream until it is found ready

  bool cudnn_fused_graphs = true;         // one engine runs convolution + bias + relu
  bool cudnn_asymmetric_padding = true;   // one engine pads differently before and after
  bool nccl_one_rank_per_device = false;  // true: two ranks on one device are refused, as NCCL does
  double nccl_timeout_s = 60.0;           // until a rank that waits for others gives up
};

// A program that knows nothing of the emulation begins with these options: the defaults, and
// CNNPLAN_EMULATED_DEVICES, _SCHEDULE (lazy, random, eager), _SEED, _ASYMMETRIC_PADDING (0, 1).
// CNNPLAN_EMULATED_FAILURE=FUNCTION:NTH:ERROR is passed to fail().
Options options_of_environment();

// Forgets everything, whether or not it was freed, and starts with new devices. Call it between
// tests. The calling thread is back on device 0 without an error.
void reset(const Options& options = {});

// They count from the last reset.
struct Counters {
  std::int64_t kernels = 0;  // with kernels of libraries; each launch of a graph counts its kernels
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

// The `nth` call from now on (1: the next) of this function returns `error` and does nothing.
// Functions are named as in their interface, CUDA, cuDNN or NCCL. There are two further names:
// "kernel" is the launch of a kernel, whose error cudaGetLastError tells. "work" is anything that
// is enqueued. It fails when it runs, and all later calls return `error`.
void fail(const std::string& function, int nth, int error);

}  // namespace cnnplan::emulation
