// Upsamples position by position. Forward, channels are copied; backward, they are summed.
#include <algorithm>
#include <vector>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/positions.hpp"
#include "executor/backend/onednn/vectorize.hpp"
#include "executor/backend/upsample_axis.hpp"

namespace cnnplan::onednn {
namespace {

template <typename T>
CNNPLAN_INLINE void add_to(const T* __restrict from, std::int64_t channels, double* __restrict to) {
  for (std::int64_t c = 0; c < channels; ++c) to[c] += from[c];
}

template <typename T>
void forward(const KernelSpec& spec, const TensorView& x, const TensorView& y) {
  const UpsampleAxes axes(spec);
  for_each_position(spec.out, [&](const Position& o) {
    const Position source{o.n, axes.d.input(o.d), axes.h.input(o.h), axes.w.input(o.w)};
    std::copy_n(at<const T>(x, source), spec.out[Dim::c], at<T>(y, o));
  });
}

template <typename T>
void backward_data(const KernelSpec& spec,
                   const TensorView& dy,
                   const TensorView& dx,
                   std::vector<double>& sums) {
  const UpsampleAxes axes(spec);
  for_each_position(spec.in, [&](const Position& i) {
    std::fill(sums.begin(), sums.end(), 0.0);
    Position o{.n = i.n};
    for (o.d = axes.d.begin(i.d); o.d < axes.d.end(i.d); ++o.d) {
      for (o.h = axes.h.begin(i.h); o.h < axes.h.end(i.h); ++o.h) {
        for (o.w = axes.w.begin(i.w); o.w < axes.w.end(i.w); ++o.w) {
          vectorized<add_to<T>>(at<const T>(dy, o), spec.in[Dim::c], sums.data());
        }
      }
    }
    std::transform(sums.begin(), sums.end(), at<T>(dx, i), stored<T>);
  });
}

}  // namespace

std::unique_ptr<Kernel> make_upsample(const Library&,
                                      const KernelSpec& spec,
                                      const KernelConstants&) {
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    const auto run = [=, sums = std::vector<double>(spec.in[Dim::c])](
                         const OperandsByRole& operands, const StepState&) mutable {
      const bool is_forward = spec.phase == KernelPhase::forward;
      const TensorView& from = operands[block_read(spec.phase)];
      const TensorView& to = operands[block_written(spec.phase)];
      require_shape(from, is_forward ? spec.in : spec.out);
      require_shape(to, is_forward ? spec.out : spec.in);
      is_forward ? forward<T>(spec, from, to) : backward_data<T>(spec, from, to, sums);
    };
    return std::make_unique<FunctionKernel>("loops", spec, run);
  });
}

}  // namespace cnnplan::onednn
