// Counts the launches of our own kernels in a step of ResNet-50 on the emulated device.
#include <cstdint>
#include <map>
#include <string>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/kernels.hpp"
#include "planner/base/file.hpp"
#include "profiler/cudnn_bench/own_operands.hpp"
#include "profiler/cudnn_bench/step_kernels.hpp"
#include "tests/emulation/device.hpp"

namespace cnnplan {
namespace {

// Returns the launches that each kind of kernel makes in a step.
std::map<KernelKind, std::int64_t> launches_of(const std::string& network) {
  emulation::reset({.closed_memory = false});
  cudnn::Library library({});
  std::map<KernelKind, std::int64_t> launches;
  for (const StepKernel& step :
       step_kernels(parse_network(read_file(network), network), 1, Precision::bf16)) {
    if (step.spec.kind == KernelKind::convolution) continue;
    cudnn::OwnOperands operands(library.device(), step.spec);
    const auto kernel = cudnn::make_kernel(library, {}, step.spec, step.constants);
    library.device().synchronize();
    const std::int64_t before = emulation::counters().kernels;
    kernel->run(operands.views(), {});
    library.device().synchronize();
    launches[step.spec.kind] += step.count * (emulation::counters().kernels - before);
  }
  return launches;
}

}  // namespace

TEST_CASE("Step kernels: launches of our own kernels in a step of ResNet-50") {
  const auto launches = launches_of("configs/networks/resnet50.json");
  std::int64_t all = 0;
  for (const auto& [kind, count] : launches) all += count;
  CHECK(all == 225);
  CHECK(launches.at(KernelKind::batch_norm) == 53 * 4);
  CHECK(launches.at(KernelKind::accumulate) == 1);
  CHECK(launches.at(KernelKind::pooling) == 4);
  CHECK(launches.at(KernelKind::softmax_cross_entropy) == 5);
}

}  // namespace cnnplan
