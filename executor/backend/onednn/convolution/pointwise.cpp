// Computes strided pointwise convolutions, where only inputs on the stride take part in the
// product.
#include <array>
#include <cstring>
#include <vector>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution/convolution.hpp"
#include "executor/backend/onednn/workspace.hpp"
#include "planner/kernel/kernel_operands.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan::onednn {
namespace {

// Calls f(input position, output position or -1 where no output uses it) in the order of memory.
template <typename F>
void for_each_input_position(const KernelSpec& spec, F f) {
  const auto& [depth, height, width] = spec.window.dims;
  const auto used = [](std::int64_t i, const WindowDim& dim, std::int64_t count) {
    return i % dim.stride == 0 && i / dim.stride < count ? i / dim.stride : -1;
  };
  std::int64_t position = 0;
  for (std::int64_t n = 0; n < spec.in[Dim::n]; ++n) {
    for (std::int64_t i = 0; i < spec.in[Dim::d]; ++i) {
      const std::int64_t d = used(i, depth, spec.out[Dim::d]);
      for (std::int64_t j = 0; j < spec.in[Dim::h]; ++j) {
        const std::int64_t h = used(j, height, spec.out[Dim::h]);
        const std::int64_t row =
            ((n * spec.out[Dim::d] + d) * spec.out[Dim::h] + h) * spec.out[Dim::w];
        for (std::int64_t k = 0; k < spec.in[Dim::w]; ++k, ++position) {
          const std::int64_t w = used(k, width, spec.out[Dim::w]);
          f(position, d >= 0 && h >= 0 && w >= 0 ? row + w : -1);
        }
      }
    }
  }
}

OperandRole input_role(KernelPhase phase) {
  return phase == KernelPhase::backward_data ? OperandRole::dx : OperandRole::x;
}

class StridedPointwise final : public Kernel {
 public:
  StridedPointwise(const KernelSpec& spec, std::unique_ptr<Kernel> inner)
      : spec_(spec),
        inner_(std::move(inner)),
        input_(OperandPositions(spec)[input_role(spec.phase)]),
        position_bytes_(spec.in[Dim::c] * bytes_of(activation_element(spec.precision))),
        used_bytes_(volume(spec.out) / spec.out[Dim::c] * position_bytes_) {}

  void run(Operands operands, const StepState& state) override;
  std::int64_t workspace_bytes() const override {
    const std::int64_t own = whole_lines(used_bytes_);
    return inner_->workspace_bytes() + own;
  }
  std::string implementation() const override { return "strided " + inner_->implementation(); }

 private:
  void gather(const std::byte* x, std::byte* used) const;
  void scatter(const std::byte* used, std::byte* dx) const;
  std::int64_t offset_of(std::int64_t position) const { return position * position_bytes_; }

  KernelSpec spec_;
  std::unique_ptr<Kernel> inner_;
  std::size_t input_;  // the position of x or dx among the operands
  std::int64_t position_bytes_;
  std::int64_t used_bytes_;  // of the inputs that take part
};

void StridedPointwise::gather(const std::byte* x, std::byte* used) const {
  for_each_input_position(spec_, [&](std::int64_t from, std::int64_t to) {
    if (to >= 0) std::memcpy(used + offset_of(to), x + offset_of(from), position_bytes_);
  });
}

void StridedPointwise::scatter(const std::byte* used, std::byte* dx) const {
  for_each_input_position(spec_, [&](std::int64_t to, std::int64_t from) {
    if (from < 0) {
      std::memset(dx + offset_of(to), 0, position_bytes_);
    } else {
      std::memcpy(dx + offset_of(to), used + offset_of(from), position_bytes_);
    }
  });
}

void StridedPointwise::run(Operands operands, const StepState& state) {
  constexpr std::size_t most_operands = 4;
  std::array<TensorView, most_operands> inner{};
  std::copy(operands.begin(), operands.end(), inner.begin());
  const bool scatters = spec_.phase == KernelPhase::backward_data;
  const Workspace used(used_bytes_);
  if (!scatters) gather(operands[input_].as<const std::byte>(), used.data());
  inner[input_].data = used.data();
  inner_->run(std::span(inner).first(operands.size()), state);
  if (scatters) scatter(used.data(), operands[input_].as<std::byte>());
}

}  // namespace

std::unique_ptr<Kernel> make_strided_pointwise(const KernelSpec& spec,
                                               std::unique_ptr<Kernel> inner) {
  return std::make_unique<StridedPointwise>(spec, std::move(inner));
}

}  // namespace cnnplan::onednn
