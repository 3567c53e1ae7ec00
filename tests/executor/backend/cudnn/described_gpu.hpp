// GPUs that cuDNN finds engines for although none is here: their figures, in its JSON.
#pragma once

#include <string>

namespace cnnplan::test {

inline const std::string h100 = R"({
  "deviceName": "NVIDIA H100 80GB HBM3", "deviceVer": 900, "driverVer": 13000, "cudaDeviceId": 0,
  "pciDeviceId": 0, "isTccDriver": 0, "supportCoopLaunch": 1, "warpSize": 32,
  "multiProcessorCount": 132, "smClockRateKHz": 1980000, "memClockRateKHz": 2619000,
  "totalGlobalMem": 85017755648, "l2CacheSize": 52428800, "maxSharedMemoryPerBlock": 49152,
  "maxSharedMemoryPerBlockOptin": 232448, "reservedSharedMemoryPerBlock": 1024,
  "regsPerBlock": 65536, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32, "maxThreadsPerSM": 2048,
  "maxThreadsPerBlock": 1024, "maxBlockSize": [1024, 1024, 64],
  "maxGridSize": [2147483647, 65535, 65535]})";

inline const std::string a100 = R"({
  "deviceName": "NVIDIA A100-SXM4-40GB", "deviceVer": 800, "driverVer": 13000, "cudaDeviceId": 0,
  "pciDeviceId": 0, "isTccDriver": 0, "supportCoopLaunch": 1, "warpSize": 32,
  "multiProcessorCount": 108, "smClockRateKHz": 1410000, "memClockRateKHz": 1215000,
  "totalGlobalMem": 42314694656, "l2CacheSize": 41943040, "maxSharedMemoryPerBlock": 49152,
  "maxSharedMemoryPerBlockOptin": 166912, "reservedSharedMemoryPerBlock": 1024,
  "regsPerBlock": 65536, "maxRegistersPerSM": 65536, "maxCtasPerSM": 32, "maxThreadsPerSM": 2048,
  "maxThreadsPerBlock": 1024, "maxBlockSize": [1024, 1024, 64],
  "maxGridSize": [2147483647, 65535, 65535]})";

inline const std::string t4 = R"({
  "deviceName": "Tesla T4", "deviceVer": 750, "driverVer": 13000, "cudaDeviceId": 0,
  "pciDeviceId": 0, "isTccDriver": 0, "supportCoopLaunch": 1, "warpSize": 32,
  "multiProcessorCount": 40, "smClockRateKHz": 1590000, "memClockRateKHz": 5001000,
  "totalGlobalMem": 15828320256, "l2CacheSize": 4194304, "maxSharedMemoryPerBlock": 49152,
  "maxSharedMemoryPerBlockOptin": 65536, "reservedSharedMemoryPerBlock": 0,
  "regsPerBlock": 65536, "maxRegistersPerSM": 65536, "maxCtasPerSM": 16, "maxThreadsPerSM": 1024,
  "maxThreadsPerBlock": 1024, "maxBlockSize": [1024, 1024, 64],
  "maxGridSize": [2147483647, 65535, 65535]})";

}  // namespace cnnplan::test
