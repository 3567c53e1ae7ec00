// Computes the least time of a kernel from the largest rates of its device. A kernel can be faster
// neither than its memory traffic nor than its arithmetic (Williams, Waterman, Patterson 2009).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "planner/base/enumerators.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Holds the largest rates of a device in one precision. A rate of 0 is not known, and bounds no
// kernel.
struct DeviceRoof {
  double flops_per_s = 0.0;  // of convolutions; a multiply-add counts two
  double bytes_per_s = 0.0;  // of memory; bytes read and bytes written both count
  DeviceKind device = DeviceKind::cpu;
  std::string source{};  // says where the rates come from
};

// Says what keeps a kernel from being faster.
enum class BoundKind { memory, arithmetic };

template <>
struct Enumerators<BoundKind> {
  static constexpr std::array all{BoundKind::memory, BoundKind::arithmetic};
};
std::string_view to_text(BoundKind kind);

// Holds the work of a kernel and the times that it takes at least.
struct KernelBound {
  double flops = 0.0;
  double bytes = 0.0;
  double flops_s = 0.0;  // for the operations of a convolution; 0 for other kernels
  double bytes_s = 0.0;  // for the bytes
  double saving = 1.0;   // flops_s is shorter by this factor, as bound_of says

  double seconds() const { return flops_s > bytes_s ? flops_s : bytes_s; }
  BoundKind kind() const { return flops_s > bytes_s ? BoundKind::arithmetic : BoundKind::memory; }
};

// Returns the bound of a kernel by flops(spec) and bytes(spec, roof.device). The rate of operations
// is that of convolutions, so it bounds no other kernel. flops(spec) counts the direct method. The
// fastest method takes fewer operations by the factor `saving`, as Winograd's does.
// @pre the kind has the phase, and saving >= 1
KernelBound bound_of(const KernelSpec& spec, const DeviceRoof& roof, double saving = 1.0);

}  // namespace cnnplan
