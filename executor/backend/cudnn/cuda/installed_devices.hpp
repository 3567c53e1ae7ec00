// Says which GPUs and which versions of CUDA this machine has.
#pragma once

#include <cstdint>
#include <string>

namespace cnnplan::cudnn {

// Says how many GPUs can be used, and if there is none, why.
struct DeviceCount {
  int count = 0;
  std::string why_none;     // the words of the runtime, e.g. for a driver that is too old
  bool has_driver = false;  // true for a driver of any version
  bool is_broken = false;   // true where the runtime failed, although there may be a device
};
// Asks the CUDA runtime for its devices. It throws nothing.
DeviceCount count_devices();
// Returns how many GPUs can be used, which is at least one. `advice` ends the message where there
// is none.
// @throws EnvironmentError where there is none, BackendError where the runtime fails
int require_devices(const std::string& advice);

// Describes a GPU.
struct DeviceProperties {
  int index = 0;  // on this machine, as the CUDA runtime numbers them
  std::string name;
  int major = 0;  // major.minor is the compute capability
  int minor = 0;
  // These are the largest clocks of the processor and of the memory.
  int clock_mhz = 0;
  int memory_clock_mhz = 0;
  std::int64_t l2_cache_bytes = 0;
};
// Makes `index` the current device of this thread, and returns its properties.
// @throws EnvironmentError where the machine has no usable GPU; BackendError where a call fails,
// also for an index out of range
DeviceProperties use_device(int index);
// Returns the number of a device and its PCI address: "GPU 1 (0000:3b:00.0)". @throws as
// use_device()
std::string place_of_device(int index);

// Returns the CUDA version of the runtime, and the newest one that the driver supports: "CUDA 13.0,
// driver for CUDA 13.1".
// @throws EnvironmentError, BackendError
std::string cuda_versions();

}  // namespace cnnplan::cudnn
