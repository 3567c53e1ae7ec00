// Everything but convolutions: our own kernels, with the library's workspace and step.
#include <stdexcept>

#include "executor/backend/cudnn/kernels.hpp"
#include "executor/backend/cudnn/kernels/batch_norm_kernels.hpp"
#include "executor/backend/cudnn/kernels/channel_shuffle_kernels.hpp"
#include "executor/backend/cudnn/kernels/interpolate_kernels.hpp"
#include "executor/backend/cudnn/kernels/local_response_norm_kernels.hpp"
#include "executor/backend/cudnn/kernels/pointwise_kernels.hpp"
#include "executor/backend/cudnn/kernels/pooling_kernels.hpp"
#include "executor/backend/cudnn/kernels/softmax_kernels.hpp"
#include "executor/backend/cudnn/kernels/squared_error_kernels.hpp"
#include "executor/backend/cudnn/kernels/upsample_kernels.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan::cudnn {
namespace {

std::int64_t workspace_bytes(const KernelSpec& spec) {
  switch (spec.kind) {
    case KernelKind::bias:
      return spec.phase == KernelPhase::forward ? 0 : bias_gradient_workspace_bytes(spec.out);
    case KernelKind::batch_norm:
      return batch_norm_workspace_bytes(spec);
    case KernelKind::softmax_cross_entropy:
      return softmax_workspace_bytes(spec);
    case KernelKind::mean_squared_error:
      return squared_error_workspace_bytes(spec);
    default:
      return 0;
  }
}

void bias(const KernelSpec& spec, Operands operands, void* workspace, cudaStream_t stream) {
  if (spec.phase == KernelPhase::forward) {
    add_bias(spec, operands, stream);
  } else {
    bias_gradient(spec.precision, operands[0], operands[1], workspace, stream);
  }
}

void batch_norm(const BatchNormCall& call, Operands operands) {
  const bool is_backward = call.spec.phase == KernelPhase::backward_statistics ||
                           call.spec.phase == KernelPhase::backward_data;
  is_backward ? batch_norm_backward(call, operands) : batch_norm_forward(call, operands);
}

class OwnKernel final : public Kernel {
 public:
  OwnKernel(Library& library, const KernelSpec& spec, const KernelConstants& constants)
      : library_(library),
        spec_(spec),
        constants_(constants),
        bytes_(cudnn::workspace_bytes(spec)) {}

  void run(Operands operands, const StepState&) override;
  std::int64_t workspace_bytes() const override { return bytes_; }
  std::string implementation() const override { return "cnnplan"; }

 private:
  Library& library_;
  KernelSpec spec_;
  KernelConstants constants_;
  std::int64_t bytes_;
};

void OwnKernel::run(Operands operands, const StepState&) {
  if (spec_.out[Dim::c] == 0) return;  // of a rank without channels
  cudaStream_t stream = library_.device().stream();
  const StepValues* step = library_.step();
  void* workspace = library_.workspace().at_least(bytes_);
  switch (spec_.kind) {
    case KernelKind::bias:
      return bias(spec_, operands, workspace, stream);
    case KernelKind::batch_norm:
      return batch_norm({spec_, constants_, step, workspace, stream}, operands);
    case KernelKind::relu:
      return relu(spec_, constants_.relu_max, operands, stream);
    case KernelKind::pooling:
      return pooling(spec_, operands, stream);
    case KernelKind::upsample:
      return upsample(spec_, operands, stream);
    case KernelKind::interpolate:
      return interpolate(spec_, constants_, operands, stream);
    case KernelKind::channel_shuffle:
      return channel_shuffle(spec_, operands, stream);
    case KernelKind::local_response_norm:
      return local_response_norm(spec_, constants_, operands, stream);
    case KernelKind::add:
    case KernelKind::accumulate:
      return add(spec_, constants_.add_scale, operands, stream);
    case KernelKind::dropout:
      return dropout(spec_, constants_, step, operands, stream);
    case KernelKind::softmax_cross_entropy:
      return softmax_cross_entropy(spec_, constants_.loss_count, step, workspace, operands, stream);
    case KernelKind::mean_squared_error:
      return mean_squared_error(spec_, constants_.loss_count, step, workspace, operands, stream);
    case KernelKind::sgd:
      return sgd(spec_, step, operands, stream);
    case KernelKind::convolution:
      break;
  }
  throw std::logic_error("no kernel of its own for a convolution");
}

}  // namespace

std::unique_ptr<Kernel> make_own_kernel(Library& library,
                                        const KernelSpec& spec,
                                        const KernelConstants& constants) {
  return std::make_unique<OwnKernel>(library, spec, constants);
}

}  // namespace cnnplan::cudnn
