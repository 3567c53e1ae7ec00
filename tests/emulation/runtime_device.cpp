// CUDA runtime: devices and versions.
#include <algorithm>
#include <cstdio>
#include <cstring>

#include "tests/emulation/call.hpp"
#include "tests/emulation/submit.hpp"

using namespace cnnplan::emulation;

namespace {

constexpr int first_bus = 1;

bool is_device(int device) {
  return device >= 0 && device < machine().options.device_count;
}

cudaError_t attribute(int* value, cudaDeviceAttr name) {
  switch (name) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = machine().options.compute_major;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      *value = machine().options.compute_minor;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = 132;
      break;
    case cudaDevAttrMaxThreadsPerBlock:
      *value = 1024;
      break;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      *value = 2048;
      break;
    case cudaDevAttrWarpSize:
      *value = 32;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      *value = 48 << 10;
      break;
    case cudaDevAttrMaxGridDimX:
      *value = 2147483647;
      break;
    case cudaDevAttrMaxGridDimY:
      *value = 65535;
      break;
    case cudaDevAttrMaxGridDimZ:
      *value = 65535;
      break;
    case cudaDevAttrConcurrentKernels:
      *value = 1;
      break;
    case cudaDevAttrUnifiedAddressing:
      *value = 1;
      break;
    case cudaDevAttrL2CacheSize:
      *value = 50 << 20;
      break;
    case cudaDevAttrClockRate:
      *value = 1980000;
      break;
    case cudaDevAttrMemoryClockRate:
      *value = 2619000;
      break;
    case cudaDevAttrGlobalMemoryBusWidth:
      *value = 5120;
      break;
    default:
      return cudaErrorInvalidValue;
  }
  return cudaSuccess;
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
  *version = machine().options.device_count == 0 ? 0 : machine().options.driver_version;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
