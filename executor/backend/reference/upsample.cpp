// Repeats the nearest input in every output. Backward, an input gets the sum of its outputs.
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

Index source_of(const Window& window, Index index) {
  for (std::size_t i = 0; i < window.dims.size(); ++i) {
    std::int64_t& place = index[first_spatial_dim + i];
    place = (place + window.dims[i].padding_begin) / window.dims[i].stride;
  }
  return index;
}

template <typename T>
void forward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto y = tensor<T>(operands[Role::y], spec.out);
  for_each_index(spec.out, [&](const Index& o) { y[o] = x[source_of(spec.window, o)]; });
}

template <typename T>
void backward_data(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  BlockSums sums(spec.in);
  for_each_index(spec.out, [&](const Index& o) { sums[source_of(spec.window, o)] += dy[o]; });
  sums.store(dx);
}

}  // namespace

std::unique_ptr<Kernel> make_upsample(const KernelSpec& spec, const KernelConstants&) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  const auto run = [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    is_forward ? forward<T>(spec, operands) : backward_data<T>(spec, operands);
  };
  return make_loops(spec, run, is_forward ? 0 : BlockSums::bytes(spec.in));
}

}  // namespace cnnplan::reference
