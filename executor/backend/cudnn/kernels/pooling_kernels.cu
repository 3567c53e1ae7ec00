// Runs max and average pooling. Forward, a thread gathers the taps of one output. Backward, it
// gathers the outputs that one input is a tap of. No two threads add to one number, so the bits are
// the same every time.
#include "executor/backend/cudnn/kernels/blocked_sum.hpp"
#include "executor/backend/cudnn/kernels/each_vector.hpp"
#include "executor/backend/cudnn/kernels/pooling_kernels.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"
#include "executor/backend/element_wise_functions.hpp"

namespace cnnplan::cudnn {
namespace {

struct WindowAxis {
  std::int32_t kernel = 1;
  std::int32_t stride = 1;
  std::int32_t dilation = 1;
  std::int32_t padding = 0;  // before the first input
  std::int32_t in = 1;       // extents
  std::int32_t out = 1;

  WindowAxis(const WindowDim& dim, std::int64_t in_extent, std::int64_t out_extent)
      : kernel(static_cast<std::int32_t>(dim.kernel)),
        stride(static_cast<std::int32_t>(dim.stride)),
        dilation(static_cast<std::int32_t>(dim.dilation)),
        padding(static_cast<std::int32_t>(dim.padding_begin)),
        in(static_cast<std::int32_t>(in_extent)),
        out(static_cast<std::int32_t>(out_extent)) {}

  // Returns -1 where the tap meets padding.
  CNNPLAN_HOST_DEVICE std::int32_t input(std::int32_t output, std::int32_t tap) const {
    const std::int32_t place = output * stride - padding + tap * dilation;
    return place >= 0 && place < in ? place : -1;
  }
  // Returns -1 where no output has this input as that tap.
  CNNPLAN_HOST_DEVICE std::int32_t output(std::int32_t input_place, std::int32_t tap) const {
    const std::int32_t distance = input_place + padding - tap * dilation;
    if (distance < 0 || distance % stride != 0) return -1;
    return distance / stride < out ? distance / stride : -1;
  }
  CNNPLAN_HOST_DEVICE std::int32_t taps_inside(std::int32_t output_place) const {
    std::int32_t count = 0;
    for (std::int32_t tap = 0; tap < kernel; ++tap) count += input(output_place, tap) >= 0 ? 1 : 0;
    return count;
  }
};

struct PoolingWindow {
  WindowAxis d;
  WindowAxis h;
  WindowAxis w;
  bool count_include_padding;

  explicit PoolingWindow(const KernelSpec& spec)
      : d(spec.window.dims[0], spec.in[Dim::d], spec.out[Dim::d]),
        h(spec.window.dims[1], spec.in[Dim::h], spec.out[Dim::h]),
        w(spec.window.dims[2], spec.in[Dim::w], spec.out[Dim::w]),
        count_include_padding(spec.count_include_padding) {}

  CNNPLAN_HOST_DEVICE std::int32_t taps() const { return d.kernel * h.kernel * w.kernel; }
  // Returns the number of elements that the average of an output is taken over.
  CNNPLAN_HOST_DEVICE std::int32_t divisor(const Position& o) const {
    if (count_include_padding) return taps();
    return d.taps_inside(o.d) * h.taps_inside(o.h) * w.taps_inside(o.w);
  }
  // Calls visit(tap, input position) for every tap of an output that is no padding.
  template <typename Visit>
  CNNPLAN_HOST_DEVICE void for_each_input(const Position& o, Visit& visit) const {
    std::int32_t tap = 0;
    for (std::int32_t i = 0; i < d.kernel; ++i) {
      for (std::int32_t j = 0; j < h.kernel; ++j) {
        for (std::int32_t k = 0; k < w.kernel; ++k, ++tap) {
          const Position place{o.n, d.input(o.d, i), h.input(o.h, j), w.input(o.w, k)};
          if (place.d >= 0 && place.h >= 0 && place.w >= 0) visit(tap, place);
        }
      }
    }
  }
  // Calls visit(tap, output position) for every output that an input is a tap of.
  template <typename Visit>
  CNNPLAN_HOST_DEVICE void for_each_output(const Position& x, Visit& visit) const {
    std::int32_t tap = 0;
    for (std::int32_t i = 0; i < d.kernel; ++i) {
      for (std::int32_t j = 0; j < h.kernel; ++j) {
        for (std::int32_t k = 0; k < w.kernel; ++k, ++tap) {
          const Position place{x.n, d.output(x.d, i), h.output(x.h, j), w.output(x.w, k)};
          if (place.d >= 0 && place.h >= 0 && place.w >= 0) visit(tap, place);
        }
      }
    }
  }
};

// Not-a-number, which equals not even itself, wins against all numbers. Minus infinity becomes it.
template <typename T, int width>
struct Maximum {
  Block<const T> x;
  std::uint32_t channel;
  Vector<Computed<T>, width> value = {};
  Vector<std::int32_t, width> tap_of = {};
  bool empty = true;

  CNNPLAN_HOST_DEVICE void operator()(std::int32_t tap, const Position& place) {
    const auto candidate = load<width>(x.at(place) + channel);
    for (int i = 0; i < width; ++i) {
      const Computed<T> seen = seen_by_maximum<Computed<T>>(candidate.values[i]);
      const bool is_number = value.values[i] == value.values[i];
      if (!empty && (seen <= value.values[i] || !is_number)) continue;
      value.values[i] = seen;
      tap_of.values[i] = tap;
    }
    empty = false;
  }
};

template <typename T, int width>
struct MaxForward {
  PoolingWindow window;
  Block<const T> x;
  Block<T> y;
  Block<std::int32_t> index;

  CNNPLAN_HOST_DEVICE void operator()(const Position& o, std::uint32_t channel) const {
    Maximum<T, width> best{x, channel};
    window.for_each_input(o, best);
    store<width>(y.at(o) + channel, best.value);
    for (int i = 0; i < width; ++i) {
      index.at(o)[channel + i] = best.empty ? -1 : best.tap_of.values[i];
    }
  }
};

template <typename T, int width, typename Sum>
struct SumWhereMaximum {
  Block<const T> dy;
  Block<const std::int32_t> index;
  std::uint32_t channel;
  Sum sum = {};

  CNNPLAN_HOST_DEVICE void operator()(std::int32_t tap, const Position& o) {
    auto gradient = load<width>(dy.at(o) + channel);
    for (int i = 0; i < width; ++i) {
      const bool is_maximum = index.at(o)[channel + i] == tap;
      gradient.values[i] = is_maximum ? gradient.values[i] : Computed<T>{0};
    }
    sum.add(gradient);
  }
};

template <typename T, int width, typename Sum>
struct MaxBackward {
  PoolingWindow window;
  Block<const std::int32_t> index;
  Block<const T> dy;
  Block<T> dx;

  CNNPLAN_HOST_DEVICE void operator()(const Position& x, std::uint32_t channel) const {
    SumWhereMaximum<T, width, Sum> gather{dy, index, channel};
    window.for_each_output(x, gather);
    store<width>(dx.at(x) + channel, gather.sum.value());
  }
};

template <typename T, int width, typename Sum>
struct SumOfInputs {
  Block<const T> x;
  std::uint32_t channel;
  Sum sum = {};

  CNNPLAN_HOST_DEVICE void operator()(std::int32_t, const Position& place) {
    sum.add(load<width>(x.at(place) + channel));
  }
};

template <typename T, int width, typename Sum>
struct AverageForward {
  PoolingWindow window;
  Block<const T> x;
  Block<T> y;

  CNNPLAN_HOST_DEVICE void operator()(const Position& o, std::uint32_t channel) const {
    SumOfInputs<T, width, Sum> gather{x, channel};
    window.for_each_input(o, gather);
    const auto divisor = static_cast<Computed<T>>(window.divisor(o));
    auto average = gather.sum.value();
    for (int i = 0; i < width; ++i) average.values[i] /= divisor;
    store<width>(y.at(o) + channel, average);
  }
};

template <typename T, int width, typename Sum>
struct SumOfShares {
  PoolingWindow window;
  Block<const T> dy;
  std::uint32_t channel;
  Sum sum = {};

  CNNPLAN_HOST_DEVICE void operator()(std::int32_t, const Position& o) {
    auto share = load<width>(dy.at(o) + channel);
    const auto divisor = static_cast<Computed<T>>(window.divisor(o));
    for (int i = 0; i < width; ++i) share.values[i] /= divisor;
    sum.add(share);
  }
};

template <typename T, int width, typename Sum>
struct AverageBackward {
  PoolingWindow window;
  Block<const T> dy;
  Block<T> dx;

  CNNPLAN_HOST_DEVICE void operator()(const Position& x, std::uint32_t channel) const {
    SumOfShares<T, width, Sum> gather{window, dy, channel};
    window.for_each_output(x, gather);
    store<width>(dx.at(x) + channel, gather.sum.value());
  }
};

template <typename T, int width>
void max_pooling(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const PoolingWindow window(spec);
  if (spec.phase == KernelPhase::forward) {
    for_each_vector<width>(call.stream,
                           spec.out,
                           MaxForward<T, width>{window,
                                                Block<const T>(operands[Role::x]),
                                                Block<T>(operands[Role::y]),
                                                Block<std::int32_t>(operands[Role::index])});
  } else {
    with_sum_of<Computed<T>, width>(window.taps(), [&]<typename Sum>(Sum) {
      for_each_vector<width>(
          call.stream,
          spec.in,
          MaxBackward<T, width, Sum>{window,
                                     Block<const std::int32_t>(operands[Role::index]),
                                     Block<const T>(operands[Role::dy]),
                                     Block<T>(operands[Role::dx])});
    });
  }
}

template <typename T, int width>
void average_pooling(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const PoolingWindow window(spec);
  const Block<const T> from(operands[block_read(spec.phase)]);
  const Block<T> to(operands[block_written(spec.phase)]);
  with_sum_of<Computed<T>, width>(window.taps(), [&]<typename Sum>(Sum) {
    if (spec.phase == KernelPhase::forward) {
      for_each_vector<width>(
          call.stream, spec.out, AverageForward<T, width, Sum>{window, from, to});
    } else {
      for_each_vector<width>(
          call.stream, spec.in, AverageBackward<T, width, Sum>{window, from, to});
    }
  });
}

}  // namespace

void pooling(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const std::int64_t channels = vector_channels(spec.out[Dim::c], operands.in_order());
  with_kind(spec.precision, channels, [&]<typename K>(K) {
    if (spec.pooling == PoolingMode::max) {
      max_pooling<typename K::Type, K::channels>(call, operands);
    } else {
      average_pooling<typename K::Type, K::channels>(call, operands);
    }
  });
}

}  // namespace cnnplan::cudnn
