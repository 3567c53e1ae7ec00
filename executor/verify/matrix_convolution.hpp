// Makes kernels of convolutions in double that are products of matrices, for large networks.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "executor/verify/decorated_backend.hpp"

namespace cnnplan {

// Makes a kernel whose weights are in plain order, as the reference backend's are. A run allocates
// a few MiB. @pre the kernel is a convolution in fp64
std::unique_ptr<Kernel> make_matrix_convolution(const KernelSpec& spec);

// Replaces the convolutions of the reference backend. All its kernels must have precision fp64.
class MatrixBackend final : public DecoratedBackend {
 public:
  explicit MatrixBackend(std::unique_ptr<Backend> reference)
      : DecoratedBackend(std::move(reference)) {}

  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override {
    if (spec.kind == KernelKind::convolution) return make_matrix_convolution(spec);
    return inner().make_kernel(spec, constants, implementation);
  }
};

}  // namespace cnnplan
