// Runs linear upsampling. Forward, a thread interpolates the channels of one output. Backward, it
// sums the shares of one input in the outputs around it, in a fixed order, so the bits are the same
// every time.
#include "executor/backend/cudnn/kernels/blocked_sum.hpp"
#include "executor/backend/cudnn/kernels/each_vector.hpp"
#include "executor/backend/cudnn/kernels/interpolate_kernels.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"
#include "executor/backend/interpolation_places.hpp"

namespace cnnplan::cudnn {
namespace {

template <typename Real, int width>
CNNPLAN_HOST_DEVICE Vector<Real, width> scaled(Vector<Real, width> values, Real weight) {
  for (int k = 0; k < width; ++k) values.values[k] *= weight;
  return values;
}

template <typename T, int width>
struct Forward {
  InterpolationBlock places;
  Block<const T> x;
  Block<T> y;

  CNNPLAN_HOST_DEVICE void operator()(const Position& o, std::uint32_t channel) const {
    using Real = Computed<T>;
    const auto d = places.d.of<Real>(o.d);
    const auto h = places.h.of<Real>(o.h);
    const auto w = places.w.of<Real>(o.w);
    Vector<Real, width> sum = {};
    for (std::int32_t i = d.input; i <= d.input + (d.share > 0 ? 1 : 0); ++i) {
      for (std::int32_t j = h.input; j <= h.input + (h.share > 0 ? 1 : 0); ++j) {
        for (std::int32_t k = w.input; k <= w.input + (w.share > 0 ? 1 : 0); ++k) {
          const Real weight = d.weight_of(i) * h.weight_of(j) * w.weight_of(k);
          const auto term = scaled(load<width>(x.at(Position{o.n, i, j, k}) + channel), weight);
          for (int c = 0; c < width; ++c) sum.values[c] += term.values[c];
        }
      }
    }
    store<width>(y.at(o) + channel, sum);
  }
};

template <typename T, int width>
struct Backward {
  InterpolationBlock places;
  Block<const T> dy;
  Block<T> dx;

  CNNPLAN_HOST_DEVICE void operator()(const Position& i, std::uint32_t channel) const {
    using Real = Computed<T>;
    BlockedSum<Real, width> sum;
    for (std::int32_t d = places.d.begin(i.d); d < places.d.end(i.d); ++d) {
      const Real in_d = places.d.of<Real>(d).weight_of(i.d);
      for (std::int32_t h = places.h.begin(i.h); h < places.h.end(i.h); ++h) {
        const Real in_h = in_d * places.h.of<Real>(h).weight_of(i.h);
        for (std::int32_t w = places.w.begin(i.w); w < places.w.end(i.w); ++w) {
          const Real weight = in_h * places.w.of<Real>(w).weight_of(i.w);
          sum.add(scaled(load<width>(dy.at(Position{i.n, d, h, w}) + channel), weight));
        }
      }
    }
    store<width>(dx.at(i) + channel, sum.value());
  }
};

}  // namespace

void interpolate(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const InterpolationBlock places(spec, call.constants);
  const std::int64_t channels = vector_channels(spec.out[Dim::c], operands.in_order());
  with_kind(spec.precision, channels, [&]<typename K>(K) {
    using T = typename K::Type;
    constexpr int width = K::channels;
    const Block<const T> from(operands[block_read(spec.phase)]);
    const Block<T> to(operands[block_written(spec.phase)]);
    if (spec.phase == KernelPhase::forward) {
      for_each_vector<width>(call.stream, spec.out, Forward<T, width>{places, from, to});
    } else {
      for_each_vector<width>(call.stream, spec.in, Backward<T, width>{places, from, to});
    }
  });
}

}  // namespace cnnplan::cudnn
