// Strided pointwise convolutions: only the inputs on the stride take part in the matrix product.
#include <array>
#include <cstring>
#include <vector>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/convolution.hpp"

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

class StridedPointwise final : public Kernel {
 public:
  StridedPointwise(const KernelSpec& spec, std::unique_ptr<Kernel> inner)
      : spec_(spec), inner_(std::move(inner)), used_(used_bytes(spec)) {}

  void run(Operands operands, const StepState& state) override;
  std::int64_t workspace_bytes() const override {
    return inner_->workspace_bytes() + static_cast<std::int64_t>(used_.bytes());
  }
  std::string implementation() const override { return "strided " + inner_->implementation(); }

 private:
  static std::size_t used_bytes(const KernelSpec& spec) {
    const std::int64_t positions = volume(spec.out) / spec.out[Dim::c];
    return static_cast<std::size_t>(positions * spec.in[Dim::c]) * sizeof(float);
  }
  void gather(const float* x) const;
  void scatter(float* dx) const;

  KernelSpec spec_;
  std::unique_ptr<Kernel> inner_;
  Workspace used_;
};

void StridedPointwise::gather(const float* x) const {
  const std::int64_t channels = spec_.in[Dim::c];
  auto* used = static_cast<float*>(used_.data());
  for_each_input_position(spec_, [&](std::int64_t from, std::int64_t to) {
    if (to < 0) return;
    std::memcpy(used + to * channels,
                x + from * channels,
                static_cast<std::size_t>(channels) * sizeof(float));
  });
}

void StridedPointwise::scatter(float* dx) const {
  const std::int64_t channels = spec_.in[Dim::c];
  const auto bytes = static_cast<std::size_t>(channels) * sizeof(float);
  const auto* used = static_cast<const float*>(used_.data());
  for_each_input_position(spec_, [&](std::int64_t to, std::int64_t from) {
    if (from < 0) {
      std::memset(dx + to * channels, 0, bytes);
    } else {
      std::memcpy(dx + to * channels, used + from * channels, bytes);
    }
  });
}

void StridedPointwise::run(Operands operands, const StepState& state) {
  constexpr std::size_t most_operands = 4;
  std::array<TensorView, most_operands> inner{};
  std::copy(operands.begin(), operands.end(), inner.begin());
  const std::size_t x = spec_.phase == KernelPhase::backward_data ? 2 : 0;
  if (spec_.phase != KernelPhase::backward_data) gather(operands[0].as<const float>());
  inner[x].data = used_.data();
  inner_->run(std::span(inner).first(operands.size()), state);
  if (spec_.phase == KernelPhase::backward_data) scatter(operands[2].as<float>());
}

}  // namespace

std::unique_ptr<Kernel> make_strided_pointwise(const KernelSpec& spec,
                                               std::unique_ptr<Kernel> inner) {
  return std::make_unique<StridedPointwise>(spec, std::move(inner));
}

}  // namespace cnnplan::onednn
