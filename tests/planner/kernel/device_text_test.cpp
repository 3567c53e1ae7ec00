// Tests what is read from texts that name devices.
#include "planner/kernel/device_text.hpp"

#include <doctest/doctest.h>

#include "planner/kernel/profile.hpp"

namespace cnnplan::test {

TEST_CASE("device text: what fingerprints say of GPUs and threads is found again") {
  const DeviceFingerprint cpu{
      .device = device_text("AMD EPYC 9B14", 12), .backend = "onednn", .library = "oneDNN 2.6.3"};
  CHECK(cpu.device == "AMD EPYC 9B14, 12 threads");
  CHECK(threads_in(to_text(cpu)) == 12);
  CHECK_FALSE(names_gpu(to_text(cpu)));
  const DeviceFingerprint gpu{
      .device = "NVIDIA H200", .backend = std::string(gpu_backend), .library = "cuDNN 9.19"};
  CHECK(names_gpu(to_text(gpu)));
  CHECK(threads_in(to_text(gpu)) == 1);
}

TEST_CASE("device text: texts without a number of threads have one") {
  CHECK(device_text("AMD EPYC 9B14", 1) == "AMD EPYC 9B14, 1 thread");
  for (const char* device : {"", " thread", "many threads", "0 threads", "NVIDIA H200"}) {
    CHECK(threads_in(device) == 1);
  }
}

}  // namespace cnnplan::test
