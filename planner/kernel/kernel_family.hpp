// Defines families of kernels. The time of a kernel is estimated from timed kernels of its family.
#pragma once

#include <compare>

#include "planner/kernel/kernel.hpp"

namespace cnnplan {

struct KernelFamily {
  KernelKind kind = KernelKind::convolution;
  KernelPhase phase = KernelPhase::forward;
  Precision precision = Precision::fp32;
  KernelAlgorithm algorithm = KernelAlgorithm::direct;

  auto operator<=>(const KernelFamily&) const = default;
};

inline KernelFamily family_of(const KernelSpec& spec) {
  return {.kind = spec.kind,
          .phase = spec.phase,
          .precision = spec.precision,
          .algorithm = spec.algorithm};
}

// True for kernels that were timed alone. The times of kernels that share the device say nothing
// about other kernels of their family.
inline bool can_estimate_others(const KernelSpec& timed) {
  return timed.concurrency == 1;
}

}  // namespace cnnplan
