// Tests how the estimated kernels of a plan are listed and counted.
#include "planner/predict/estimated_kernels.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("EstimatedKernels: each kernel once, by its text, and counts by family") {
  const KernelSpec update{.kind = KernelKind::sgd, .phase = KernelPhase::update};
  const KernelSpec four{.concurrency = 4};
  const KernelSpec forward;
  EstimatedKernels estimated;
  for (const KernelSpec& spec : {update, four, forward, four}) estimated.add(spec);
  Prediction prediction;
  prediction.estimated_kernels = {"an older kernel"};
  prediction.estimated_families = {{.family = family_of(update), .kernels = 9}};
  estimated.list_in(prediction);
  CHECK(prediction.estimated_kernels ==
        std::vector{to_text(forward), to_text(four), to_text(update)});
  CHECK(prediction.estimated_families ==
        std::vector<EstimatedFamily>{{.family = family_of(forward), .kernels = 2},
                                     {.family = family_of(update), .kernels = 1}});
}

}  // namespace cnnplan::test
