// Tests estimates of kernels from timed kernels of similar shape.
#include "planner/cost/kernel_neighbours.hpp"

#include <cmath>
#include <stdexcept>

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan {
namespace {

KernelSpec convolution(std::int64_t channels, std::int64_t rows) {
  KernelSpec spec;
  spec.in = {.extents = {1, channels, 1, rows + 2, 34}};
  spec.out = {.extents = {1, channels, 1, rows, 32}};
  spec.window.dims = {WindowDim{}, WindowDim{.kernel = 3}, WindowDim{.kernel = 3}};
  return spec;
}

void add(KernelNeighbours& neighbours, const KernelSpec& spec, double seconds) {
  neighbours.add(spec, work_of(spec), seconds);
}

KernelEstimate estimate_of(const KernelNeighbours& neighbours, const KernelSpec& spec) {
  return neighbours.estimate(spec, work_of(spec));
}

double at_rate(const KernelSpec& spec, double flops_per_s) {
  return flops(spec) / flops_per_s;
}

}  // namespace

TEST_CASE("KernelNeighbours: a kernel at the common throughput is estimated exactly") {
  KernelNeighbours neighbours;
  for (std::int64_t rows : {4, 8, 16, 32}) {
    const KernelSpec spec = convolution(64, rows);
    add(neighbours, spec, at_rate(spec, 1e11));
  }
  const KernelSpec wanted = convolution(64, 12);
  const KernelEstimate estimate = estimate_of(neighbours, wanted);
  CHECK(estimate.seconds == relative(at_rate(wanted, 1e11)));
  CHECK(estimate.low_s < estimate.seconds);
  CHECK(estimate.high_s > estimate.seconds);
}

TEST_CASE("KernelNeighbours: the workspace is the nearest kernel's, by the bytes of the operands") {
  KernelNeighbours neighbours;
  const KernelSpec near = convolution(64, 16);
  neighbours.add(near, work_of(near), 1.0, 1000);
  const KernelSpec far = convolution(64, 1024);
  neighbours.add(far, work_of(far), 1.0, 0);
  CHECK(estimate_of(neighbours, near).workspace_bytes == 1000);
  const KernelSpec wanted = convolution(64, 12);
  CHECK(estimate_of(neighbours, wanted).workspace_bytes ==
        std::llround(1000.0 * bytes(wanted) / bytes(near)));
  CHECK(estimate_of(neighbours, convolution(64, 900)).workspace_bytes == 0);
}

TEST_CASE("KernelNeighbours: small blocks take the throughput of small blocks, not time over p") {
  KernelNeighbours neighbours;
  for (std::int64_t rows : {64, 72, 80}) {
    add(neighbours, convolution(64, rows), at_rate(convolution(64, rows), 2e11));
  }
  for (std::int64_t rows : {4, 5, 6}) {
    add(neighbours, convolution(64, rows), at_rate(convolution(64, rows), 5e10));
  }
  const KernelSpec small = convolution(64, 7);
  CHECK(estimate_of(neighbours, small).seconds == relative(at_rate(small, 5e10), 0.05));
  const KernelSpec large = convolution(64, 60);
  CHECK(estimate_of(neighbours, large).seconds == relative(at_rate(large, 2e11), 0.05));
}

TEST_CASE("KernelNeighbours: between two neighbours the estimate lies between both") {
  KernelNeighbours neighbours;
  add(neighbours, convolution(64, 8), at_rate(convolution(64, 8), 1e11));
  add(neighbours, convolution(64, 32), at_rate(convolution(64, 32), 2e11));
  const KernelSpec wanted = convolution(64, 16);
  const KernelEstimate estimate = estimate_of(neighbours, wanted);
  CHECK(estimate.seconds > at_rate(wanted, 2e11));
  CHECK(estimate.seconds < at_rate(wanted, 1e11));
  CHECK(estimate.low_s <= at_rate(wanted, 2e11));
  CHECK(estimate.high_s >= at_rate(wanted, 1e11));
}

TEST_CASE("KernelNeighbours: a known estimate is scaled by how neighbours differ from it") {
  KernelNeighbours neighbours;
  // A model says 1 s for both neighbours, which take 1.2 s, and 3 s for 16 rows.
  neighbours.add(convolution(64, 8), 1.0, 1.2);
  neighbours.add(convolution(64, 32), 1.0, 1.2);
  CHECK(neighbours.estimate(convolution(64, 16), 3.0).seconds == relative(3.6));
}

TEST_CASE("KernelNeighbours: the nearer neighbour counts more") {
  KernelNeighbours neighbours;
  add(neighbours, convolution(64, 8), at_rate(convolution(64, 8), 1e11));
  add(neighbours, convolution(64, 64), at_rate(convolution(64, 64), 2e11));
  const KernelSpec wanted = convolution(64, 10);
  CHECK(estimate_of(neighbours, wanted).seconds == relative(at_rate(wanted, 1e11), 0.1));
}

TEST_CASE("KernelNeighbours: farther away is less certain") {
  KernelNeighbours neighbours;
  add(neighbours, convolution(64, 8), at_rate(convolution(64, 8), 1e11));
  const auto spread = [&](const KernelSpec& spec) {
    const KernelEstimate estimate = estimate_of(neighbours, spec);
    return estimate.high_s / estimate.low_s;
  };
  CHECK(spread(convolution(64, 16)) < spread(convolution(64, 128)));
  CHECK(spread(convolution(64, 16)) < spread(convolution(256, 16)));
}

TEST_CASE("KernelNeighbours: windows whose volume is beyond 64 bits have neighbours") {
  KernelNeighbours neighbours;
  KernelSpec wide = convolution(64, 8);
  const std::int64_t extent = std::int64_t{1} << 31;
  for (WindowDim& dim : wide.window.dims) dim.kernel = dim.stride = dim.dilation = extent;
  add(neighbours, wide, at_rate(wide, 1e11));
  add(neighbours, convolution(64, 8), at_rate(convolution(64, 8), 2e11));
  CHECK(estimate_of(neighbours, wide).seconds == relative(at_rate(wide, 1e11), 0.01));
  CHECK(estimate_of(neighbours, convolution(64, 8)).seconds ==
        relative(at_rate(convolution(64, 8), 2e11), 0.01));
}

TEST_CASE("KernelNeighbours: kernels without work or time are left out") {
  KernelNeighbours neighbours;
  add(neighbours, convolution(64, 8), 0.0);
  add(neighbours, convolution(64, 0), 1.0);
  CHECK(neighbours.empty());
  CHECK_THROWS_AS(estimate_of(neighbours, convolution(64, 8)), std::logic_error);
}

}  // namespace cnnplan
