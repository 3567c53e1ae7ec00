// Chooses the kernel by phase and groups.
#include "executor/backend/onednn/direct/direct_convolution.hpp"

#include "executor/backend/onednn/direct/direct_kernels.hpp"

namespace cnnplan::onednn {

std::unique_ptr<Kernel> make_direct_convolution(const KernelSpec& spec) {
  if (spec.groups > 1 && spec.groups == spec.in[Dim::c] && spec.groups == spec.out[Dim::c]) {
    return make_depthwise(spec);
  }
  switch (spec.phase) {
    case KernelPhase::forward:
      return make_row_forward(spec);
    case KernelPhase::backward_data:
      return make_row_backward_data(spec);
    default:
      return make_row_filter_gradient(spec);
  }
}

}  // namespace cnnplan::onednn
