// Tests memory, driver and errors of an emulated device when it is opened.
#include "executor/backend/cudnn/cuda/cuda_device.hpp"

#include <string>

#include <doctest/doctest.h>

#include "executor/backend/backend.hpp"
#include "planner/base/error.hpp"
#include "tests/emulation/device.hpp"

namespace cnnplan::test {

TEST_CASE("CudaDevice: memory is what is free when it is opened, less a reserve") {
  constexpr std::size_t total = std::size_t{1} << 31;
  emulation::reset({.memory_bytes = total});
  void* of_others = nullptr;
  REQUIRE(cudaMalloc(&of_others, total / 2) == cudaSuccess);
  const cudnn::CudaDevice device(0);
  CHECK(device.memory_bytes() < std::int64_t{total / 2});
  CHECK(device.memory_bytes() > std::int64_t{total / 4});
  CHECK(cudaFree(of_others) == cudaSuccess);
}

TEST_CASE("why_no_gpu: a driver without a device that can be used is told, no driver is not") {
  emulation::reset();
  CHECK(why_no_gpu().empty());
  emulation::reset({.device_count = 0, .driver_version = 0});
  CHECK(why_no_gpu().empty());
  emulation::reset({.device_count = 0,
                    .no_device_error = cudaErrorInsufficientDriver,
                    .driver_version = CUDART_VERSION - 1000});
  CHECK(why_no_gpu().find(cudaGetErrorString(cudaErrorInsufficientDriver)) != std::string::npos);
  emulation::reset();
}

TEST_CASE("make_backend: a runtime that does not start is no missing device") {
  for (const std::string function : {"cudaGetDeviceCount", "cudaSetDevice"}) {
    emulation::reset();
    emulation::fail(function, 1, cudaErrorInitializationError);
    try {
      make_backend("cudnn");
      FAIL("accepted");
    } catch (const BackendError& error) {
      const std::string message = error.what();
      CHECK_MESSAGE(message.find(function + ": initialization error") != std::string::npos,
                    message);
      CHECK(message.find("no CUDA device") == std::string::npos);
    }
  }
  emulation::reset({.device_count = 0});
  CHECK_THROWS_AS(make_backend("cudnn"), EnvironmentError);
  emulation::reset();
}

}  // namespace cnnplan::test
