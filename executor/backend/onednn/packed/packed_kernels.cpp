// Says which convolutions can run over packed panels, and makes their kernels.
#include "executor/backend/onednn/packed/packed_kernels.hpp"

#include <stdexcept>

#include "executor/backend/onednn/convolution/convolution.hpp"
#include "executor/backend/onednn/packed/packed_inputs.hpp"

namespace cnnplan::onednn {

bool has_packed_kernel(const KernelSpec& spec) {
  return spec.phase == KernelPhase::backward_filter ? has_whole_panels(spec)
                                                    : has_panel_weights(spec);
}

std::unique_ptr<Kernel> make_packed_kernel(const KernelSpec& spec) {
  if (!has_packed_kernel(spec)) throw std::logic_error("no convolution over whole panels");
  if (spec.phase == KernelPhase::forward) return make_packed_convolution(spec);
  if (spec.phase == KernelPhase::backward_data) return make_packed_backward_data(spec);
  return make_packed_filter_gradient(spec);
}

}  // namespace cnnplan::onednn
