// Interpolates linearly, position by position. An output sums the channels of inputs by their
// weights.
#include <algorithm>
#include <vector>

#include "executor/backend/function_kernel.hpp"
#include "executor/backend/interpolation_places.hpp"
#include "executor/backend/onednn/elements.hpp"
#include "executor/backend/onednn/kernels.hpp"
#include "executor/backend/onednn/positions.hpp"
#include "executor/backend/onednn/vectorize.hpp"

namespace cnnplan::onednn {
namespace {

template <typename T, typename Sum>
CNNPLAN_INLINE void add_scaled(const T* __restrict from,
                               float weight,
                               std::int64_t channels,
                               Sum* __restrict to) {
  for (std::int64_t c = 0; c < channels; ++c) to[c] += weight * from[c];
}

// Returns the input of an output in one dim, or the next input where it has a share.
std::int32_t last_input(const InterpolationPlace<float>& place) {
  return place.input + (place.share > 0 ? 1 : 0);
}

template <typename T>
void forward(const InterpolationBlock& block,
             const Shape& out,
             const TensorView& x,
             const TensorView& y,
             FloatRow<T>& row) {
  for_each_position(out, [&](const Position& o) {
    const auto d = block.d.of<float>(o.d);
    const auto h = block.h.of<float>(o.h);
    const auto w = block.w.of<float>(o.w);
    float* sum = row.open(at<T>(y, o));
    std::fill_n(sum, out[Dim::c], 0.0F);
    Position i{.n = o.n};
    for (i.d = d.input; i.d <= last_input(d); ++i.d) {
      for (i.h = h.input; i.h <= last_input(h); ++i.h) {
        for (i.w = w.input; i.w <= last_input(w); ++i.w) {
          const float weight = d.weight_of(i.d) * h.weight_of(i.h) * w.weight_of(i.w);
          vectorized<add_scaled<T, float>>(at<const T>(x, i), weight, out[Dim::c], sum);
        }
      }
    }
    row.close(at<T>(y, o));
  });
}

template <typename T>
void backward_data(const InterpolationBlock& block,
                   const Shape& in,
                   const TensorView& dy,
                   const TensorView& dx,
                   std::vector<double>& sums) {
  for_each_position(in, [&](const Position& i) {
    std::fill(sums.begin(), sums.end(), 0.0);
    Position o{.n = i.n};
    for (o.d = block.d.begin(i.d); o.d < block.d.end(i.d); ++o.d) {
      const float in_d = block.d.of<float>(o.d).weight_of(i.d);
      for (o.h = block.h.begin(i.h); o.h < block.h.end(i.h); ++o.h) {
        const float in_h = in_d * block.h.of<float>(o.h).weight_of(i.h);
        for (o.w = block.w.begin(i.w); o.w < block.w.end(i.w); ++o.w) {
          const float weight = in_h * block.w.of<float>(o.w).weight_of(i.w);
          vectorized<add_scaled<T, double>>(at<const T>(dy, o), weight, in[Dim::c], sums.data());
        }
      }
    }
    std::transform(sums.begin(), sums.end(), at<T>(dx, i), stored<T>);
  });
}

}  // namespace

std::unique_ptr<Kernel> make_interpolate(const Library&,
                                         const KernelSpec& spec,
                                         const KernelConstants& constants) {
  const InterpolationBlock block(spec, constants);
  return with_activation(spec.precision, [&]<typename T>(T) -> std::unique_ptr<Kernel> {
    const auto run =
        [=, row = FloatRow<T>(spec.in[Dim::c]), sums = std::vector<double>(spec.in[Dim::c])](
            const OperandsByRole& operands, const StepState&) mutable {
          const bool is_forward = spec.phase == KernelPhase::forward;
          const TensorView& from = operands[block_read(spec.phase)];
          const TensorView& to = operands[block_written(spec.phase)];
          require_shape(from, is_forward ? spec.in : spec.out);
          require_shape(to, is_forward ? spec.out : spec.in);
          is_forward ? forward<T>(block, spec.out, from, to, row)
                     : backward_data<T>(block, spec.in, from, to, sums);
        };
    return std::make_unique<FunctionKernel>("loops", spec, run);
  });
}

}  // namespace cnnplan::onednn
