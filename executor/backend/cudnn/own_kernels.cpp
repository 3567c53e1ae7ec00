// Runs everything except convolutions by our own kernels, and lists the factories of all kinds.
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

namespace cnnplan::cudnn {
namespace {

using Run = void(const KernelCall& call, const OperandsByRole& operands);
using WorkspaceBytes = std::int64_t(const KernelSpec& spec);

std::int64_t no_workspace(const KernelSpec&) {
  return 0;
}

void batch_norm(const KernelCall& call, const OperandsByRole& operands) {
  const bool is_backward = call.spec.phase == KernelPhase::backward_statistics ||
                           call.spec.phase == KernelPhase::backward_data;
  is_backward ? batch_norm_backward(call, operands) : batch_norm_forward(call, operands);
}

// Runs one of our own kernels with the workspace and the step of the library.
class OwnKernel final : public Kernel {
 public:
  OwnKernel(Library& library, const KernelSpec& spec, const KernelConstants& constants, Run* code)
      : library_(library), spec_(spec), constants_(constants), positions_(spec), code_(code) {}

  void need_workspace(std::int64_t bytes) { bytes_ = bytes; }
  void run(Operands operands, const StepState&) override;
  std::int64_t workspace_bytes() const override { return bytes_; }
  std::string implementation() const override { return "cnnplan"; }

 private:
  Library& library_;
  KernelSpec spec_;
  KernelConstants constants_;
  OperandPositions positions_;
  Run* code_;
  std::int64_t bytes_ = 0;
};

void OwnKernel::run(Operands operands, const StepState&) {
  if (spec_.out[Dim::c] == 0) return;  // the rank has no channels
  Workspace& workspace = library_.workspace();
  code_({.spec = spec_,
         .constants = constants_,
         .step = library_.step(),
         .workspace = workspace.at_least(bytes_),
         .arrived = bytes_ == 0 ? nullptr : workspace.arrived(),
         .stream = library_.device().stream()},
        OperandsByRole(operands, positions_));
}

template <Run* code, WorkspaceBytes* workspace_bytes = no_workspace>
std::unique_ptr<Kernel> make_own(Library& library,
                                 const std::string& /*implementation*/,
                                 const KernelSpec& spec,
                                 const KernelConstants& constants) {
  auto kernel = std::make_unique<OwnKernel>(library, spec, constants, code);
  kernel->need_workspace(workspace_bytes(spec));
  return kernel;
}

constexpr KernelFactoryRow<Library&, const std::string&> own_factories[] = {
    {KernelKind::convolution, make_convolution},
    {KernelKind::bias, make_own<bias, bias_workspace_bytes>},
    {KernelKind::batch_norm, make_own<batch_norm, batch_norm_workspace_bytes>},
    {KernelKind::pooling, make_own<pooling>},
    {KernelKind::upsample, make_own<upsample>},
    {KernelKind::interpolate, make_own<interpolate>},
    {KernelKind::channel_shuffle, make_own<channel_shuffle>},
    {KernelKind::local_response_norm, make_own<local_response_norm>},
    {KernelKind::add, make_own<add>},
    {KernelKind::dropout, make_own<dropout>},
    {KernelKind::softmax_cross_entropy, make_own<softmax_cross_entropy, softmax_workspace_bytes>},
    {KernelKind::mean_squared_error, make_own<mean_squared_error, squared_error_workspace_bytes>},
    {KernelKind::accumulate, make_own<add>},
    {KernelKind::sgd, make_own<sgd>},
};
constexpr KernelFactories<Library&, const std::string&> factories(own_factories,
                                                                  make_own<element_wise>);

}  // namespace

std::unique_ptr<Kernel> make_kernel(Library& library,
                                    const std::string& implementation,
                                    const KernelSpec& spec,
                                    const KernelConstants& constants) {
  return factories[spec.kind].make(library, implementation, spec, constants);
}

}  // namespace cnnplan::cudnn
