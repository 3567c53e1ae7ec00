// Interpolates linearly: an output sums all inputs, with weights by their distance in every dim.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "executor/backend/reference/kernels.hpp"
#include "executor/backend/reference/tensor.hpp"

namespace cnnplan::reference {
namespace {

struct Share {
  std::int64_t input = 0;
  double weight = 0.0;
};

// Returns the inputs of one dim that add to an output. Distances are integers, so that weights have
// equal bits in every block with the output.
std::vector<Share> shares(const InterpolationAxis& axis, std::int64_t inputs, std::int64_t output) {
  const std::int64_t place =
      std::clamp<std::int64_t>(axis.step * output + axis.begin, 0, (inputs - 1) * axis.unit);
  std::vector<Share> found;
  for (std::int64_t input = 0; input < inputs; ++input) {
    const std::int64_t distance = std::abs(place - input * axis.unit);
    if (distance >= axis.unit) continue;
    found.push_back({input, 1.0 - static_cast<double>(distance) / static_cast<double>(axis.unit)});
  }
  return found;
}

// Calls f(input index, weight) for all inputs that an output sums.
template <typename F>
void for_each_share(const KernelSpec& spec, const KernelConstants& constants, Index o, F f) {
  std::array<std::vector<Share>, 3> by_dim;
  for (std::size_t i = 0; i < by_dim.size(); ++i) {
    by_dim[i] = shares(constants.axes[i], spec.in[spatial_dims[i]], o[first_spatial_dim + i]);
  }
  for (const Share& d : by_dim[0]) {
    for (const Share& h : by_dim[1]) {
      for (const Share& w : by_dim[2]) {
        f(Index{o[0], o[1], d.input, h.input, w.input}, d.weight * h.weight * w.weight);
      }
    }
  }
}

template <typename T>
void forward(const KernelSpec& spec,
             const KernelConstants& constants,
             const OperandsByRole& operands) {
  const auto x = tensor<const T>(operands[Role::x], spec.in);
  const auto y = tensor<T>(operands[Role::y], spec.out);
  for_each_index(spec.out, [&](const Index& o) {
    double sum = 0.0;
    for_each_share(
        spec, constants, o, [&](const Index& i, double weight) { sum += weight * x[i]; });
    y[o] = stored<T>(sum);
  });
}

template <typename T>
void backward_data(const KernelSpec& spec,
                   const KernelConstants& constants,
                   const OperandsByRole& operands) {
  const auto dy = tensor<const T>(operands[Role::dy], spec.out);
  const auto dx = tensor<T>(operands[Role::dx], spec.in);
  BlockSums sums(spec.in);
  for_each_index(spec.out, [&](const Index& o) {
    for_each_share(
        spec, constants, o, [&](const Index& i, double weight) { sums[i] += weight * dy[o]; });
  });
  sums.store(dx);
}

}  // namespace

std::unique_ptr<Kernel> make_interpolate(const KernelSpec& spec, const KernelConstants& constants) {
  const bool is_forward = spec.phase == KernelPhase::forward;
  const auto run = [=]<typename T>(T, const OperandsByRole& operands, const StepState&) {
    is_forward ? forward<T>(spec, constants, operands)
               : backward_data<T>(spec, constants, operands);
  };
  return make_loops(spec, run, is_forward ? 0 : BlockSums::bytes(spec.in));
}

}  // namespace cnnplan::reference
