// Defines families of kernels. The time of a kernel is estimated from timed kernels of its family.
#pragma once

#include <compare>

#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Holds the fields of a KernelSpec that all kernels of a family share. Shapes are not among them.
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

// True for kernels that were timed alone. Kernels that were timed while others shared the device
// are not used for estimates.
inline bool can_estimate_others(const KernelSpec& timed) {
  return timed.concurrency == 1;
}

}  // namespace cnnplan
