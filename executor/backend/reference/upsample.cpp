// Nearest neighbour: every output repeats an input; backward, an input gets the sum of its outputs.
#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

Index source_of(const Window& window, Index index) {
  for (std::size_t i = 0; i < window.dims.size(); ++i) {
    std::int64_t& place = index[static_cast<std::size_t>(spatial_dims[i])];
    place = (place + window.dims[i].padding_begin) / window.dims[i].stride;
  }
  return index;
}

template <typename T>
void forward(const KernelSpec& spec, Operands operands) {
  const auto x = tensor<const T>(operands[0], spec.in);
  const auto y = tensor<T>(operands[1], spec.out);
  for_each_index(spec.out, [&](const Index& o) { y[o] = x[source_of(spec.window, o)]; });
}

template <typename T>
void backward_data(const KernelSpec& spec, Operands operands) {
  const auto dy = tensor<const T>(operands[0], spec.out);
  const auto dx = tensor<T>(operands[1], spec.in);
  for_each_index(spec.in, [&](const Index& i) { dx[i] = T{0}; });
  for_each_index(spec.out, [&](const Index& o) { dx[source_of(spec.window, o)] += dy[o]; });
}

}  // namespace

std::unique_ptr<Kernel> make_upsample(const KernelSpec& spec, const KernelConstants&) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  return make_loops(spec, [=]<typename T>(T, Operands operands, const StepState&) {
    is_forward ? forward<T>(spec, operands) : backward_data<T>(spec, operands);
  });
}

}  // namespace cnnplan::reference
