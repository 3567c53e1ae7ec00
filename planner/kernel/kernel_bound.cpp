// Divides the work of a kernel by the rates.
#include "planner/kernel/kernel_bound.hpp"

namespace cnnplan {
namespace {

double time_of(double amount, double rate) {
  return rate > 0.0 ? amount / rate : 0.0;
}

}  // namespace

std::string_view to_text(BoundKind kind) {
  return kind == BoundKind::memory ? "memory" : "arithmetic";
}

KernelBound bound_of(const KernelSpec& spec, const DeviceRoof& roof, double saving) {
  const bool is_convolution = spec.kind == KernelKind::convolution;
  KernelBound bound{.flops = flops(spec), .bytes = bytes(spec, roof.device), .saving = saving};
  bound.flops_s = is_convolution ? time_of(bound.flops, roof.flops_per_s * saving) : 0.0;
  bound.bytes_s = time_of(bound.bytes, roof.bytes_per_s);
  return bound;
}

}  // namespace cnnplan
