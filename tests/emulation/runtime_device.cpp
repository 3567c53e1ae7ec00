// Gives the calls of the CUDA runtime for devices and versions.
#include <algorithm>
#include <array>
#include <cstdio>

#include "tests/emulation/call.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace {

constexpr int first_bus = 1;

bool is_device(int device) {
  return device >= 0 && device < machine().options.device_count;
}

struct Attribute {
  cudaDeviceAttr name;
  int value;
};

constexpr std::array attributes{
    Attribute{cudaDevAttrMultiProcessorCount, 132},
    Attribute{cudaDevAttrMaxThreadsPerBlock, 1024},
    Attribute{cudaDevAttrMaxThreadsPerMultiProcessor, 2048},
    Attribute{cudaDevAttrWarpSize, 32},
    Attribute{cudaDevAttrMaxSharedMemoryPerBlock, 48 << 10},
    Attribute{cudaDevAttrMaxGridDimX, 2147483647},
    Attribute{cudaDevAttrMaxGridDimY, 65535},
    Attribute{cudaDevAttrMaxGridDimZ, 65535},
    Attribute{cudaDevAttrConcurrentKernels, 1},
    Attribute{cudaDevAttrUnifiedAddressing, 1},
    Attribute{cudaDevAttrL2CacheSize, 50 << 20},
    Attribute{cudaDevAttrClockRate, 1980000},
    Attribute{cudaDevAttrMemoryClockRate, 2619000},
    Attribute{cudaDevAttrGlobalMemoryBusWidth, 5120},
};

cudaError_t attribute(int* value, cudaDeviceAttr name) {
  const Options& options = machine().options;
  if (name == cudaDevAttrComputeCapabilityMajor) *value = options.compute_major;
  if (name == cudaDevAttrComputeCapabilityMinor) *value = options.compute_minor;
  bool known =
      name == cudaDevAttrComputeCapabilityMajor || name == cudaDevAttrComputeCapabilityMinor;
  for (const Attribute& fixed : attributes) {
    if (fixed.name != name) continue;
    *value = fixed.value;
    known = true;
  }
  return known ? cudaSuccess : cudaErrorInvalidValue;
}

cudaDeviceProp properties_of(int device) {
  const Options& options = machine().options;
  cudaDeviceProp made{};
  const std::string& name = options.device_name;
  name.copy(made.name, sizeof(made.name) - 1);
  made.uuid.bytes[0] = static_cast<char>(device + 1);
  made.totalGlobalMem = options.memory_bytes;
  made.sharedMemPerBlock = 48 << 10;
  made.warpSize = 32;
  made.maxThreadsPerBlock = 1024;
  std::fill_n(made.maxThreadsDim, 2, 1024);
  made.maxThreadsDim[2] = 64;
  made.maxGridSize[0] = 2147483647;
  std::fill_n(made.maxGridSize + 1, 2, 65535);
  made.major = options.compute_major;
  made.minor = options.compute_minor;
  made.multiProcessorCount = 132;
  made.concurrentKernels = 1;
  made.pciBusID = first_bus + device;
  made.asyncEngineCount = 3;
  made.unifiedAddressing = 1;
  made.memoryBusWidth = 5120;
  made.l2CacheSize = 50 << 20;
  made.maxThreadsPerMultiProcessor = 2048;
  made.streamPrioritiesSupported = 1;
  return made;
}

}  // namespace

cudaError_t cudaGetDeviceCount(int* count) {
  if (count != nullptr) *count = 0;
  return call(__func__, [&] {
    if (count == nullptr) return cudaErrorInvalidValue;
    *count = machine().options.device_count;
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call(__func__, [&] {
    if (!is_device(device)) return cudaErrorInvalidDevice;
    thread_state().device = device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call(__func__, [&] {
    if (device == nullptr) return cudaErrorInvalidValue;
    *device = thread_state().device;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call(__func__, [&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *properties = properties_of(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr name, int device) {
  return call(__func__, [&] {
    if (value == nullptr) return cudaErrorInvalidValue;
    return is_device(device) ? attribute(value, name) : cudaErrorInvalidDevice;
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return call(__func__, [&] {
    if (text == nullptr || length < 13) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02X:00.0", first_bus + device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return call(__func__, [&] {
    if (can_access == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device) || !is_device(peer)) return cudaErrorInvalidDevice;
    *can_access = device != peer && machine().options.peer_access ? 1 : 0;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call(__func__, [&] {
    if (least != nullptr) *least = 0;
    if (greatest != nullptr) *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call_outside_capture(__func__, [] { return wait_for_device(); });
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = machine().options.driver_version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
