// Tests the least time of a kernel by its bytes and by its operations.
#include "planner/kernel/kernel_bound.hpp"

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan {
namespace {

// Returns a 1x1 convolution that moves 4 (8 * 10 + 4 * 10 + 4 * 8) bytes and takes 640 operations.
KernelSpec convolution() {
  KernelSpec spec;
  spec.in = {.extents = {1, 8, 1, 2, 5}};
  spec.out = {.extents = {1, 4, 1, 2, 5}};
  return spec;
}

constexpr double convolution_bytes = 608.0;
constexpr double convolution_flops = 640.0;

}  // namespace

TEST_CASE("bound_of: the longer of bytes and operations bounds a convolution") {
  const KernelBound by_memory = bound_of(convolution(), {.flops_per_s = 1e3, .bytes_per_s = 1e2});
  CHECK(by_memory.kind() == BoundKind::memory);
  CHECK(by_memory.bytes == convolution_bytes);
  CHECK(by_memory.flops == convolution_flops);
  CHECK(by_memory.seconds() == relative(6.08));
  const KernelBound by_flops = bound_of(convolution(), {.flops_per_s = 1e2, .bytes_per_s = 1e3});
  CHECK(by_flops.kind() == BoundKind::arithmetic);
  CHECK(by_flops.seconds() == relative(6.40));
}

TEST_CASE("bound_of: a method that saves operations shortens their time, and not that of bytes") {
  const DeviceRoof roof{.flops_per_s = 1e2, .bytes_per_s = 3e2};
  const KernelBound direct = bound_of(convolution(), roof);
  const KernelBound faster = bound_of(convolution(), roof, 2.0);
  CHECK(faster.flops == direct.flops);
  CHECK(faster.seconds() == relative(direct.seconds() / 2.0));
  CHECK(bound_of(convolution(), roof, 100.0).kind() == BoundKind::memory);
}

TEST_CASE("bound_of: operations bound convolutions only") {
  KernelSpec spec = convolution();
  spec.kind = KernelKind::relu;
  spec.in = spec.out;
  const KernelBound bound = bound_of(spec, {.flops_per_s = 1e-3, .bytes_per_s = 320.0});
  CHECK(bound.kind() == BoundKind::memory);
  CHECK(bound.seconds() == relative(1.0));
  CHECK(bound.flops > 0.0);
}

// A pass is 160 bytes. A GPU finds the mask from x, and keeps places of maxima in a byte.
TEST_CASE("bound_of: bytes are those that kernels of the device move") {
  const auto bytes_on = [](const KernelSpec& spec, DeviceKind device) {
    return bound_of(spec, {.device = device}).bytes;
  };
  KernelSpec norm = convolution();
  norm.in = norm.out;
  norm.kind = KernelKind::batch_norm;
  norm.phase = KernelPhase::backward_statistics;
  norm.relu = true;
  CHECK(bytes_on(norm, DeviceKind::cpu) == 3 * 160.0);
  CHECK(bytes_on(norm, DeviceKind::gpu) == 2 * 160.0);
  norm.second_dy = true;
  CHECK(bytes_on(norm, DeviceKind::cpu) == 5 * 160.0);
  CHECK(bytes_on(norm, DeviceKind::gpu) == 5 * 160.0);
  KernelSpec pooling = convolution();
  pooling.in = pooling.out;
  pooling.kind = KernelKind::pooling;
  CHECK(bytes_on(pooling, DeviceKind::cpu) == 3 * 160.0);
  CHECK(bytes_on(pooling, DeviceKind::gpu) == 2 * 160.0 + 40.0);
  pooling.window.dims[1].kernel = 16;  // 256 taps: a place no longer fits into a byte
  pooling.window.dims[2].kernel = 16;
  CHECK(bytes_on(pooling, DeviceKind::gpu) == 3 * 160.0);
  pooling.pooling = PoolingMode::average;
  CHECK(bytes_on(pooling, DeviceKind::gpu) == 2 * 160.0);
}

TEST_CASE("bound_of: a rate that is not known bounds nothing") {
  CHECK(bound_of(convolution(), {}).seconds() == 0.0);
  const KernelBound bound = bound_of(convolution(), {.flops_per_s = 640.0});
  CHECK(bound.kind() == BoundKind::arithmetic);
  CHECK(bound.seconds() == relative(1.0));
}

}  // namespace cnnplan
