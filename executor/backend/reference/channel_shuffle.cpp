// Shuffles channel by channel: finds where the channel stands in its group, and in which group.
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

Index source_of(const KernelSpec& spec, Index index) {
  const std::int64_t group_size = spec.out[Dim::c] / spec.groups;
  std::int64_t& channel = index[channel_dim];
  channel = channel % spec.groups * group_size + channel / spec.groups;
  return index;
}

template <typename T>
void forward(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto y = tensor<T>(operands[Role::y], spec.out);
  for_each_index(spec.out, [&](const Index& o) { y[o] = x[source_of(spec, o)]; });
}

template <typename T>
void backward_data(const KernelSpec& spec, const OperandsByRole& operands) {
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  for_each_index(spec.out, [&](const Index& o) { dx[source_of(spec, o)] = dy[o]; });
}

}  // namespace

std::unique_ptr<Kernel> make_channel_shuffle(const KernelSpec& spec, const KernelConstants&) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return make_loops(spec, [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    is_forward ? forward<T>(spec, operands) : backward_data<T>(spec, operands);
  });
}

}  // namespace cnnplan::reference
