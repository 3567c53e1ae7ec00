// Runs nearest-neighbour upsampling. Forward, a thread copies the channels of one output. Backward,
// it sums the outputs that repeat one input, in a fixed order, so the bits are the same every time.
#include <algorithm>
#include <cstddef>

#include "executor/backend/cudnn/kernels/blocked_sum.hpp"
#include "executor/backend/cudnn/kernels/each_vector.hpp"
#include "executor/backend/cudnn/kernels/upsample_kernels.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"
#include "executor/backend/upsample_axis.hpp"

namespace cnnplan::cudnn {
namespace {

template <typename T, int width>
struct Forward {
  UpsampleAxes axes;
  Block<const T> x;
  Block<T> y;

  CNNPLAN_HOST_DEVICE void operator()(const Position& o, std::uint32_t channel) const {
    const Position source{o.n, axes.d.input(o.d), axes.h.input(o.h), axes.w.input(o.w)};
    store<width>(y.at(o) + channel, load<width>(x.at(source) + channel));
  }
};

template <typename T, int width, typename Sum>
struct Backward {
  UpsampleAxes axes;
  Block<const T> dy;
  Block<T> dx;

  CNNPLAN_HOST_DEVICE void operator()(const Position& i, std::uint32_t channel) const {
    Sum sum;
    for (std::int32_t d = axes.d.begin(i.d); d < axes.d.end(i.d); ++d) {
      for (std::int32_t h = axes.h.begin(i.h); h < axes.h.end(i.h); ++h) {
        for (std::int32_t w = axes.w.begin(i.w); w < axes.w.end(i.w); ++w) {
          sum.add(load<width>(dy.at(Position{i.n, d, h, w}) + channel));
        }
      }
    }
    store<width>(dx.at(i) + channel, sum.value());
  }
};

// Returns how many outputs repeat an input, at most.
std::int64_t most_repeats(const KernelSpec& spec) {
  std::int64_t repeats = 1;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    repeats *= std::min(spec.window.dims[i].stride, spec.out[spatial_dims[i]]);
  }
  return repeats;
}

}  // namespace

void upsample(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const UpsampleAxes axes(spec);
  const std::int64_t repeats = most_repeats(spec);
  const std::int64_t channels = vector_channels(spec.out[Dim::c], operands.in_order());
  with_kind(spec.precision, channels, [&]<typename K>(K) {
    using T = typename K::Type;
    constexpr int width = K::channels;
    const Block<const T> from(operands[block_read(spec.phase)]);
    const Block<T> to(operands[block_written(spec.phase)]);
    if (spec.phase == KernelPhase::forward) {
      for_each_vector<width>(call.stream, spec.out, Forward<T, width>{axes, from, to});
    } else {
      with_sum_of<Computed<T>, width>(repeats, [&]<typename Sum>(Sum) {
        for_each_vector<width>(call.stream, spec.in, Backward<T, width, Sum>{axes, from, to});
      });
    }
  });
}

}  // namespace cnnplan::cudnn
