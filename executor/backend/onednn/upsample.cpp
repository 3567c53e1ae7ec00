// Nearest neighbour, position by position: forward a copy of its channels, backward their sum.
#include <algorithm>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/positions.hpp"
#include "executor/backend/onednn/vectorize.hpp"
#include "executor/backend/upsample_axis.hpp"

namespace cnnplan::onednn {
namespace {

CNNPLAN_VECTORIZED void add_to(const float* __restrict from,
                               std::int64_t channels,
                               float* __restrict to) {
  for (std::int64_t c = 0; c < channels; ++c) to[c] += from[c];
}

void forward(const KernelSpec& spec, const TensorView& x, const TensorView& y) {
  const UpsampleAxes axes(spec);
  for_each_position(spec.out, [&](const Position& o) {
    const Position source{o.n, axes.d.input(o.d), axes.h.input(o.h), axes.w.input(o.w)};
    std::copy_n(at<const float>(x, source), spec.out[Dim::c], at<float>(y, o));
  });
}

void backward_data(const KernelSpec& spec, const TensorView& dy, const TensorView& dx) {
  const UpsampleAxes axes(spec);
  for_each_position(spec.in, [&](const Position& i) {
    auto* sum = at<float>(dx, i);
    std::fill_n(sum, spec.in[Dim::c], 0.0F);
    Position o{.n = i.n};
    for (o.d = axes.d.begin(i.d); o.d < axes.d.end(i.d); ++o.d) {
      for (o.h = axes.h.begin(i.h); o.h < axes.h.end(i.h); ++o.h) {
        for (o.w = axes.w.begin(i.w); o.w < axes.w.end(i.w); ++o.w) {
          add_to(at<const float>(dy, o), spec.in[Dim::c], sum);
        }
      }
    }
  });
}

}  // namespace

std::unique_ptr<Kernel> make_upsample(const KernelSpec& spec) {
  return std::make_unique<FunctionKernel>("loops", 2, [=](Operands operands, const StepState&) {
    const bool is_forward = spec.phase == KernelPhase::forward;
    require_shape(operands[0], is_forward ? spec.in : spec.out);
    require_shape(operands[1], is_forward ? spec.out : spec.in);
    is_forward ? forward(spec, operands[0], operands[1])
               : backward_data(spec, operands[0], operands[1]);
  });
}

}  // namespace cnnplan::onednn
