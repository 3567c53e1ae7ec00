// Tests which kernels belong to one family, and which timed kernels can estimate others.
#include "planner/kernel/kernel_family.hpp"

#include <doctest/doctest.h>

namespace cnnplan::test {

TEST_CASE("family_of: kind, phase, precision and algorithm, but neither shapes nor concurrency") {
  const KernelSpec spec{.phase = KernelPhase::backward_data, .precision = Precision::bf16};
  CHECK(family_of(spec) == KernelFamily{.kind = KernelKind::convolution,
                                        .phase = KernelPhase::backward_data,
                                        .precision = Precision::bf16,
                                        .algorithm = KernelAlgorithm::direct});
  KernelSpec other = spec;
  other.in = {{2, 3, 1, 8, 8}};
  other.relu = true;
  other.concurrency = 4;
  CHECK(family_of(other) == family_of(spec));
  other.algorithm = KernelAlgorithm::winograd;
  CHECK(family_of(other) != family_of(spec));
}

TEST_CASE("can_estimate_others: kernels that were timed alone") {
  CHECK(can_estimate_others(KernelSpec{}));
  CHECK_FALSE(can_estimate_others(KernelSpec{.concurrency = 2}));
}

}  // namespace cnnplan::test
