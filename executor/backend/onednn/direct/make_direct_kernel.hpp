// Makes a kernel of a class that computes one phase of a convolution.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/elements.hpp"

namespace cnnplan::onednn {

// Makes a kernel that owns `convolution` and calls it. `convolution` has the functions
// workspace_bytes() and run<T>(const OperandsByRole&), where T is the type of activations.
// `implementation` becomes the kernel's name.
template <typename Convolution>
std::unique_ptr<Kernel> make_direct_kernel(const std::string& implementation,
                                           const KernelSpec& spec,
                                           Convolution convolution) {
  const std::int64_t bytes = convolution.workspace_bytes();
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    return std::make_unique<FunctionKernel>(
        implementation,
        spec,
        [convolution = std::move(convolution)](const OperandsByRole& operands,
                                               const StepState&) mutable {
          convolution.template run<T>(operands);
        },
        bytes);
  });
}

}  // namespace cnnplan::onednn
