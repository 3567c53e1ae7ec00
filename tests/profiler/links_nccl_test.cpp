// The link profiler on emulated devices, with NCCL: what it measures, not how fast it is.
#include <doctest/doctest.h>

#include "executor/backend/backend.hpp"
#include "profiler/links_measure.hpp"
#include "tests/emulation/device.hpp"

namespace cnnplan::test {

TEST_CASE("measure_links: allreduces and halves by NCCL are right on any number of ranks") {
  const Communicator world = Communicator::world();
  emulation::reset();
  const auto backend = make_backend("cudnn");
  const LinkMeasurements measured = measure_links(world,
                                                  {.least_bytes = 8,
                                                   .most_bytes = 1 << 10,
                                                   .budget_s = 1e-3,
                                                   .device = "a GPU",
                                                   .device_memory = &backend->device(),
                                                   .nccl = true,
                                                   .progress = {}});
  if (world.rank() != 0) return;
  int halves = 0;
  for (const LinkCurve& curve : measured.curves) {
    if (curve.kind != LinkCurveKind::collective) continue;
    CHECK(curve.wrong == std::vector<std::int64_t>(curve.samples.size(), 0));
    const bool is_half = curve.collective != CollectiveKind::allreduce;
    if (is_half && curve.algorithm == AllreduceAlgorithm::library) ++halves;
  }
  CHECK(halves == (world.size() == 2 ? 2 : 4));
}

}  // namespace cnnplan::test
