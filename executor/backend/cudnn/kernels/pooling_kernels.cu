// Runs max and average pooling. Forward, a thread gathers the taps of one output. Backward, it
// gathers the outputs that one input is a tap of. No two threads add to one number, so the bits are
// the same every time.
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "executor/backend/cudnn/kernels/batches.hpp"
#include "executor/backend/cudnn/kernels/blocked_sum.hpp"
#include "executor/backend/cudnn/kernels/each_vector.hpp"
#include "executor/backend/cudnn/kernels/pooling_kernels.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"
#include "executor/backend/element_wise_functions.hpp"
#include "planner/kernel/kernel_work.hpp"

namespace cnnplan::cudnn {
namespace {

// Holds consecutive taps of an axis, or consecutive outputs.
struct AxisRange {
  std::int32_t begin = 0;
  std::int32_t end = 0;

  CNNPLAN_HOST_DEVICE std::int32_t size() const { return end > begin ? end - begin : 0; }
};

// Holds a window along one axis. Divisions by its extents are multiplications.
struct WindowAxis {
  std::int32_t kernel = 1;
  Divider stride;
  Divider dilation;
  std::int32_t padding = 0;  // before the first input
  std::int32_t in = 1;       // extents
  std::int32_t out = 1;

  WindowAxis(const WindowDim& dim, std::int64_t in_extent, std::int64_t out_extent)
      : kernel(static_cast<std::int32_t>(dim.kernel)),
        stride(dim.stride),
        dilation(dim.dilation),
        padding(static_cast<std::int32_t>(dim.padding_begin)),
        in(static_cast<std::int32_t>(in_extent)),
        out(static_cast<std::int32_t>(out_extent)) {}

  // Returns the input that tap 0 of an output meets. It is in the padding where it is negative.
  CNNPLAN_HOST_DEVICE std::int32_t first_input(std::int32_t output) const {
    return output * extent(stride) - padding;
  }
  // Returns the input that a tap meets, if the first tap meets `first`.
  CNNPLAN_HOST_DEVICE std::int32_t input(std::int32_t first, std::int32_t tap) const {
    return first + tap * extent(dilation);
  }
  // Returns the taps that meet no padding, if the first tap meets `first`.
  CNNPLAN_HOST_DEVICE AxisRange taps_inside(std::int32_t first) const {
    return {least_at(dilation, -first), smaller(kernel, least_at(dilation, in - first))};
  }
  // Returns the outputs whose windows reach over an input. Not every tap need meet an input.
  CNNPLAN_HOST_DEVICE AxisRange outputs_over(std::int32_t input_place) const {
    const std::int32_t last = input_place + padding;
    return {least_at(stride, last - (kernel - 1) * extent(dilation)),
            smaller(out, least_at(stride, last + 1))};
  }
  // Returns the tap with which an output meets an input in its range, or -1 where none does.
  CNNPLAN_HOST_DEVICE std::int32_t tap(std::int32_t input_place, std::int32_t output) const {
    const auto [tap, rest] =
        divide(static_cast<std::uint32_t>(input_place - first_input(output)), dilation);
    return rest == 0 ? static_cast<std::int32_t>(tap) : -1;
  }

 private:
  CNNPLAN_HOST_DEVICE static std::int32_t extent(const Divider& divider) {
    return static_cast<std::int32_t>(divider.divisor());
  }
  CNNPLAN_HOST_DEVICE static std::int32_t smaller(std::int32_t a, std::int32_t b) {
    return a < b ? a : b;
  }
  // Returns the least number from 0 on whose multiple is `least` or more.
  CNNPLAN_HOST_DEVICE static std::int32_t least_at(const Divider& divider, std::int32_t least) {
    if (least <= 0) return 0;
    const std::uint32_t rounded_up = static_cast<std::uint32_t>(least) + divider.divisor() - 1;
    return static_cast<std::int32_t>(divider.quotient(rounded_up));
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
    return d.taps_inside(d.first_input(o.d)).size() * h.taps_inside(h.first_input(o.h)).size() *
           w.taps_inside(w.first_input(o.w)).size();
  }
  // Calls visit(tap, input position) for every tap of an output that is no padding, in the order of
  // taps.
  template <typename Visit>
  CNNPLAN_HOST_DEVICE void for_each_input(const Position& o, Visit& visit) const {
    const Position first{o.n, d.first_input(o.d), h.first_input(o.h), w.first_input(o.w)};
    const AxisRange in_d = d.taps_inside(first.d);
    const AxisRange in_h = h.taps_inside(first.h);
    const AxisRange in_w = w.taps_inside(first.w);
    for (std::int32_t i = in_d.begin; i < in_d.end; ++i) {
      for (std::int32_t j = in_h.begin; j < in_h.end; ++j) {
        for (std::int32_t k = in_w.begin; k < in_w.end; ++k) {
          visit((i * h.kernel + j) * w.kernel + k,
                Position{o.n, d.input(first.d, i), h.input(first.h, j), w.input(first.w, k)});
        }
      }
    }
  }
  // Calls visit(tap, output position) for every output that an input is a tap of, in the order of
  // taps.
  template <typename Visit>
  CNNPLAN_HOST_DEVICE void for_each_output(const Position& x, Visit& visit) const {
    const AxisRange in_d = d.outputs_over(x.d);
    const AxisRange in_h = h.outputs_over(x.h);
    const AxisRange in_w = w.outputs_over(x.w);
    for (std::int32_t i = in_d.end; i-- > in_d.begin;) {
      const std::int32_t tap_d = d.tap(x.d, i);
      for (std::int32_t j = in_h.end; tap_d >= 0 && j-- > in_h.begin;) {
        const std::int32_t tap_h = h.tap(x.h, j);
        for (std::int32_t k = in_w.end; tap_h >= 0 && k-- > in_w.begin;) {
          const std::int32_t tap_w = w.tap(x.w, k);
          if (tap_w < 0) continue;
          visit((tap_d * h.kernel + tap_h) * w.kernel + tap_w, Position{x.n, i, j, k});
        }
      }
    }
  }
};

// A maximum is kept as the number of its tap. Most windows have so few taps that a byte holds it,
// and the bytes of a vector of channels are one access.
using SmallTap = std::uint8_t;
using LargeTap = std::int32_t;
// Stands for no maximum, because the whole window is padding.
template <typename Tap>
inline constexpr Tap no_tap = static_cast<Tap>(-1);

// Calls body(Tap{}) with the type that holds the taps of a window and no_tap.
template <typename Body>
void with_tap(const PoolingWindow& window, const Body& body) {
  static_assert(most_small_taps == no_tap<SmallTap>);
  if (window.taps() <= most_small_taps) {
    body(SmallTap{});
  } else {
    body(LargeTap{});
  }
}

// Views the taps. The backend alone knows their format: they take the first bytes of the operand,
// which has room for four bytes per element.
template <typename Tap>
struct TapBlock {
  Block<Tap> block;

  explicit TapBlock(const TensorView& index) : block(index) {}
  template <int width>
  CNNPLAN_HOST_DEVICE Vector<std::remove_const_t<Tap>, width> at(const Position& o,
                                                                 std::uint32_t channel) const {
    Tap* const taps = block.at(o) + channel;
    if constexpr (sizeof(Tap) == 1) {
      return fetch<width>(taps);
    } else {
      Vector<std::remove_const_t<Tap>, width> all;
      for (int i = 0; i < width; ++i) all.values[i] = taps[i];
      return all;
    }
  }
  template <int width>
  CNNPLAN_HOST_DEVICE void set(const Position& o,
                               std::uint32_t channel,
                               const Vector<Tap, width>& all) const {
    Tap* const taps = block.at(o) + channel;
    if constexpr (sizeof(Tap) == 1) {
      put<width>(taps, all);
    } else {
      for (int i = 0; i < width; ++i) taps[i] = all.values[i];
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

template <typename T, int width, typename Tap>
struct MaxForward {
  PoolingWindow window;
  Block<const T> x;
  Block<T> y;
  TapBlock<Tap> index;

  CNNPLAN_HOST_DEVICE void operator()(const Position& o, std::uint32_t channel) const {
    Maximum<T, width> best{x, channel};
    window.for_each_input(o, best);
    store<width>(y.at(o) + channel, best.value);
    Vector<Tap, width> taps;
    for (int i = 0; i < width; ++i) {
      taps.values[i] = best.empty ? no_tap<Tap> : static_cast<Tap>(best.tap_of.values[i]);
    }
    index.set(o, channel, taps);
  }
};

template <typename T, int width, typename Tap, typename Sum>
struct SumWhereMaximum {
  Block<const T> dy;
  TapBlock<const Tap> index;
  std::uint32_t channel;
  Sum sum = {};

  CNNPLAN_HOST_DEVICE void operator()(std::int32_t tap, const Position& o) {
    auto gradient = load<width>(dy.at(o) + channel);
    const auto taps = index.template at<width>(o, channel);
    for (int i = 0; i < width; ++i) {
      const bool is_maximum = taps.values[i] == tap;
      gradient.values[i] = is_maximum ? gradient.values[i] : Computed<T>{0};
    }
    sum.add(gradient);
  }
};

template <typename T, int width, typename Tap, typename Sum>
struct MaxBackward {
  PoolingWindow window;
  TapBlock<const Tap> index;
  Block<const T> dy;
  Block<T> dx;

  CNNPLAN_HOST_DEVICE void operator()(const Position& x, std::uint32_t channel) const {
    SumWhereMaximum<T, width, Tap, Sum> gather{dy, index, channel};
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

template <typename T, int width, typename Tap>
void max_pooling_with(const KernelCall& call,
                      const OperandsByRole& operands,
                      const PoolingWindow& window) {
  const KernelSpec& spec = call.spec;
  if (spec.phase == KernelPhase::forward) {
    for_each_vector<width>(call.stream,
                           spec.out,
                           MaxForward<T, width, Tap>{window,
                                                     Block<const T>(operands[Role::x]),
                                                     Block<T>(operands[Role::y]),
                                                     TapBlock<Tap>(operands[Role::index])});
    return;
  }
  with_sum_of<Computed<T>, width>(window.taps(), [&]<typename Sum>(Sum) {
    for_each_vector<width>(
        call.stream,
        spec.in,
        MaxBackward<T, width, Tap, Sum>{window,
                                        TapBlock<const Tap>(operands[Role::index]),
                                        Block<const T>(operands[Role::dy]),
                                        Block<T>(operands[Role::dx])});
  });
}

template <typename T, int width>
void max_pooling(const KernelCall& call, const OperandsByRole& operands) {
  const PoolingWindow window(call.spec);
  with_tap(window,
           [&]<typename Tap>(Tap) { max_pooling_with<T, width, Tap>(call, operands, window); });
}

// Reads the inputs of one sample that a global average is taken over.
template <typename T, int width>
struct SampleReader {
  using Item = Vector<T, width>;
  static constexpr int batch = 8;

  const Positions& positions;
  const Block<const T>& x;
  std::uint32_t first;
  std::uint32_t channel;

  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const {
    return fetch<width>(x.at(positions.place(first + index)) + channel);
  }
};

// A thread adds all inputs of one sample, several at once.
template <typename T, int width, typename Sum>
struct GlobalAverageForward {
  Positions positions;
  Block<const T> x;
  Block<T> y;
  std::uint32_t inputs;  // of a sample

  CNNPLAN_HOST_DEVICE void operator()(const Position& o, std::uint32_t channel) const {
    Sum sum;
    const SampleReader<T, width> reader{positions, x, o.n * inputs, channel};
    for_each_item(
        reader, {0, 1, inputs}, [&sum](std::uint32_t, const auto& item) { sum.add(widen(item)); });
    const auto divisor = static_cast<Computed<T>>(inputs);
    auto average = sum.value();
    for (int i = 0; i < width; ++i) average.values[i] /= divisor;
    store<width>(y.at(o) + channel, average);
  }
};

// A thread divides the gradient of one output, and writes some inputs of its sample.
template <typename T, int width>
struct GlobalAverageBackward {
  static constexpr std::uint32_t inputs_per_thread = 8;

  Positions positions;
  Block<const T> dy;
  Block<T> dx;
  Divider vectors;
  Divider threads;  // of a sample and a vector
  std::uint32_t inputs;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [rest, vector] = divide(index, vectors);
    const auto [sample, thread] = divide(rest, threads);
    const std::uint32_t channel = vector * width;
    auto share = load<width>(dy.at(Position{static_cast<std::int32_t>(sample)}) + channel);
    const auto divisor = static_cast<Computed<T>>(inputs);
    for (int i = 0; i < width; ++i) share.values[i] /= divisor;
    for (std::uint32_t p = thread; p < inputs; p += threads.divisor()) {
      store<width>(dx.at(positions.place(sample * inputs + p)) + channel, share);
    }
  }
};

// True where each output is the average of all inputs of its sample.
bool is_global(const KernelSpec& spec) {
  bool covers = true;
  for (std::size_t i = 0; i < spec.window.dims.size(); ++i) {
    const WindowDim& dim = spec.window.dims[i];
    covers = covers && dim.kernel == spec.in[spatial_dims[i]] && dim.dilation == 1 &&
             dim.padding_begin == 0 && spec.out[spatial_dims[i]] == 1;
  }
  return covers;
}

template <typename T, int width>
void global_average(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const TensorView& from = operands[block_read(spec.phase)];
  const TensorView& to = operands[block_written(spec.phase)];
  const std::int64_t inputs = spec.in[Dim::d] * spec.in[Dim::h] * spec.in[Dim::w];
  const auto count = static_cast<std::uint32_t>(inputs);
  require_launchable(inputs * spec.in[Dim::n]);
  if (spec.phase == KernelPhase::forward) {
    with_sum_of<Computed<T>, width>(inputs, [&]<typename Sum>(Sum) {
      for_each_vector<width>(
          call.stream,
          spec.out,
          GlobalAverageForward<T, width, Sum>{
              Positions(spec.in, {&from}), Block<const T>(from), Block<T>(to), count});
    });
    return;
  }
  using Backward = GlobalAverageBackward<T, width>;
  const std::int64_t threads =
      (inputs + Backward::inputs_per_thread - 1) / Backward::inputs_per_thread;
  const std::int64_t vectors = spec.in[Dim::c] / width;
  launch(call.stream,
         spec.in[Dim::n] * threads * vectors,
         Backward{Positions(spec.in, {&to}),
                  Block<const T>(from),
                  Block<T>(to),
                  Divider(vectors),
                  Divider(threads),
                  count});
}

template <typename T, int width>
void average_pooling(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  if (is_global(spec)) return global_average<T, width>(call, operands);
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
