// Asks the CUDA runtime for devices, their attributes and versions.
#include "executor/backend/cudnn/cuda/installed_devices.hpp"

#include <array>

#include <cuda_runtime_api.h>

#include "executor/backend/cudnn/kernels/check.hpp"
#include "planner/base/error.hpp"

namespace cnnplan::cudnn {
namespace {

constexpr int khz_per_mhz = 1000;

int attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, device), "cudaDeviceGetAttribute");
  return value;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

}  // namespace

DeviceCount count_devices() {
  int driver = 0;  // It stays 0 where there is no driver.
  cudaDriverGetVersion(&driver);
  DeviceCount devices{.has_driver = driver > 0};
  const cudaError_t status = cudaGetDeviceCount(&devices.count);
  if (status == cudaSuccess) return devices;
  cudaGetLastError();  // The caller gets the error as a value.
  devices.count = 0;
  devices.why_none = cudaGetErrorString(status);
  devices.is_broken = !says_no_device(status);
  return devices;
}

int require_devices(const std::string& advice) {
  const DeviceCount devices = count_devices();
  if (devices.is_broken) throw BackendError("cudnn: cudaGetDeviceCount: " + devices.why_none);
  if (devices.count > 0) return devices.count;
  throw EnvironmentError("no CUDA device: " + devices.why_none + "; " + advice);
}

DeviceProperties use_device(int index) {
  check_cuda(cudaSetDevice(index), "cudaSetDevice");
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  return {.index = index,
          .name = properties.name,
          .major = properties.major,
          .minor = properties.minor,
          .clock_mhz = attribute(cudaDevAttrClockRate, index) / khz_per_mhz,
          .memory_clock_mhz = attribute(cudaDevAttrMemoryClockRate, index) / khz_per_mhz,
          .l2_cache_bytes = attribute(cudaDevAttrL2CacheSize, index)};
}

std::string place_of_device(int index) {
  constexpr int most_characters = 32;
  std::array<char, most_characters> bus{};
  check_cuda(cudaDeviceGetPCIBusId(bus.data(), most_characters, index), "cudaDeviceGetPCIBusId");
  return "GPU " + std::to_string(index) + " (" + bus.data() + ")";
}

std::string cuda_versions() {
  int driver = 0;
  int runtime = 0;
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  return "CUDA " + version_text(runtime) + ", driver for CUDA " + version_text(driver);
}

}  // namespace cnnplan::cudnn
