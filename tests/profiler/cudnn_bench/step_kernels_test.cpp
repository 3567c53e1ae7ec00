// The kernels of a step, compared with counts that were made by hand.
#include "profiler/cudnn_bench/step_kernels.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "planner/base/file.hpp"

namespace cnnplan {
namespace {

std::vector<StepKernel> resnet50() {
  const std::string file = "configs/networks/resnet50.json";
  return step_kernels(parse_network(read_file(file), file), 256, Precision::bf16);
}

using Part = std::pair<KernelKind, KernelPhase>;

}  // namespace

// The bytes were counted by hand: 11.12 million elements of batch norms in an image, of which
// 4.09 million have a ReLU alone, 5.52 million a residual input and a ReLU, 1.51 million neither.
// Batch norms add 5.42 million error signals. The first pooling has 0.2 million more. A mask has
// one bit for each of the 5.52 million.
TEST_CASE("Step kernels: the bytes of ResNet-50 are those that were counted by hand") {
  std::map<Part, double> gigabytes;
  for (const StepKernel& kernel : resnet50()) {
    gigabytes[{kernel.spec.kind, kernel.spec.phase}] +=
        1e-9 * kernel.count * bytes(kernel.spec, DeviceKind::gpu);
  }
  const std::vector<std::pair<Part, double>> counted{
      {{KernelKind::batch_norm, KernelPhase::forward_statistics}, 5.7},
      {{KernelKind::batch_norm, KernelPhase::forward}, 14.4},
      {{KernelKind::batch_norm, KernelPhase::backward_statistics}, 17.2},
      {{KernelKind::batch_norm, KernelPhase::backward_data}, 17.1},
      {{KernelKind::accumulate, KernelPhase::forward}, 0.31}};
  for (const auto& [part, expected] : counted) {
    const std::string name =
        std::string(to_text(part.first)) + "/" + std::string(to_text(part.second));
    CAPTURE(name);
    CHECK(gigabytes[part] == doctest::Approx(expected).epsilon(0.02));
  }
}

TEST_CASE("Step kernels: ResNet-50 has 53 batch norms, 54 convolutions and 16 sums of gradients") {
  int sums_of_batch_norms = 0;
  std::map<Part, int> counts;
  for (const StepKernel& kernel : resnet50()) {
    counts[{kernel.spec.kind, kernel.spec.phase}] += kernel.count;
    if (kernel.spec.second_dy) sums_of_batch_norms += kernel.count;
  }
  CHECK(counts[{KernelKind::batch_norm, KernelPhase::forward}] == 53);
  CHECK(counts[{KernelKind::batch_norm, KernelPhase::backward_data}] == 53);
  CHECK(counts[{KernelKind::convolution, KernelPhase::forward}] == 54);
  CHECK(counts[{KernelKind::convolution, KernelPhase::backward_data}] == 53);
  CHECK(counts[{KernelKind::convolution, KernelPhase::backward_filter}] == 54);
  CHECK(counts[{KernelKind::accumulate, KernelPhase::forward}] == 1);
  CHECK(sums_of_batch_norms == 15);
}

TEST_CASE(
    "Step kernels: a batch norm follows each convolution of ResNet-50 but not the classifier") {
  std::map<KernelPhase, int> counts;
  for (const StepKernel& kernel : resnet50()) {
    counts[kernel.spec.phase] += kernel.before_batch_norm;
    CHECK((kernel.before_batch_norm == 0 || kernel.before_batch_norm == kernel.count));
  }
  CHECK(counts[KernelPhase::forward] == 53);
  counts.erase(KernelPhase::forward);
  for (const auto& [phase, count] : counts) CHECK(count == 0);
}

TEST_CASE("Step kernels: equal kernels are one entry") {
  std::map<KernelSpec, int> entries;
  bool repeats = false;
  for (const StepKernel& kernel : resnet50()) {
    CHECK(++entries[kernel.spec] == 1);
    repeats = repeats || kernel.count > 1;
  }
  CHECK(repeats);
}

}  // namespace cnnplan
