// Every phase first turns the sums into a few numbers per channel, then streams over the block. A
// thread keeps the numbers of its channels in registers and takes several positions.
#include <cmath>

#include "executor/backend/cudnn/kernels/batch_norm_kernels.hpp"
#include "executor/backend/cudnn/kernels/column_sums.hpp"

namespace cnnplan::cudnn {
namespace {

using Operands = std::span<const TensorView>;

constexpr std::int64_t positions_per_thread = 8;
constexpr std::int64_t most_numbers_per_channel = 4;

// Sums of forward: C sums, C sums of squares, the count.
struct Moments {
  double mean = 0.0;
  double variance = 0.0;  // biased

  CNNPLAN_HOST_DEVICE static Moments of(const double* sums,
                                        std::int64_t channels,
                                        std::uint32_t c) {
    const double count = sums[2 * channels];
    const double mean = sums[c] / count;
    const double variance = sums[channels + c] / count - mean * mean;
    return {mean, variance > 0.0 ? variance : 0.0};
  }
  CNNPLAN_HOST_DEVICE double inverse_deviation(double epsilon) const {
    return 1.0 / std::sqrt(variance + epsilon);
  }
};

// Number k of channel c is numbers[k * channels + c].
template <typename T, int width>
CNNPLAN_HOST_DEVICE Vector<Compute<T>, width> numbers_of(const Compute<T>* numbers,
                                                         std::int64_t channels,
                                                         int k,
                                                         std::uint32_t channel) {
  return load<width>(numbers + k * channels + channel);
}

// y = (x - mean) * factor + shift, per channel; running values are updated.
template <typename T>
struct ForwardNumbers {
  const double* sums;
  const Compute<T>* scale;
  const Compute<T>* shift;
  Compute<T>* running_mean;
  Compute<T>* running_variance;
  Compute<T>* numbers;  // mean, factor, shift
  const StepValues* step;
  std::int64_t channels;
  double epsilon;
  double momentum;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t c) const {
    Moments moments{static_cast<double>(running_mean[c]), static_cast<double>(running_variance[c])};
    if (step->training && sums[2 * channels] > 0.0) {
      moments = Moments::of(sums, channels, c);
      update_running(c, moments);
    }
    numbers[c] = static_cast<Compute<T>>(moments.mean);
    numbers[channels + c] =
        static_cast<Compute<T>>(moments.inverse_deviation(epsilon) * static_cast<double>(scale[c]));
    numbers[2 * channels + c] = shift[c];
  }
  // The running variance is the unbiased one.
  CNNPLAN_HOST_DEVICE void update_running(std::uint32_t c, const Moments& batch) const {
    const double count = sums[2 * channels];
    const double unbias = count > 1.0 ? count / (count - 1.0) : 1.0;
    const auto mixed = [this](double old, double fresh) {
      return static_cast<Compute<T>>((1.0 - momentum) * old + momentum * fresh);
    };
    running_mean[c] = mixed(static_cast<double>(running_mean[c]), batch.mean);
    running_variance[c] = mixed(static_cast<double>(running_variance[c]), batch.variance * unbias);
  }
};

// Which positions a thread takes.
struct Sweep {
  Divider vectors;
  std::uint32_t positions = 0;
  std::uint32_t threads_per_vector = 0;

  Sweep(std::int64_t position_count, std::int64_t vector_count)
      : vectors(vector_count),
        positions(static_cast<std::uint32_t>(position_count)),
        threads_per_vector(static_cast<std::uint32_t>((position_count + positions_per_thread - 1) /
                                                      positions_per_thread)) {}
  std::int64_t threads() const { return std::int64_t{threads_per_vector} * vectors.divisor(); }
};

// Row: a reader (batches.hpp) with void begin(uint32 first_channel) and
// void run(uint32 position, Item).
template <int width, typename Row>
struct SweepRows {
  Sweep sweep;
  Row row;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [first, vector] = divide(index, sweep.vectors);
    Row own = row;
    own.begin(vector * width);
    for_each_item(own,
                  {first, sweep.threads_per_vector, sweep.positions},
                  [&own](std::uint32_t p, const auto& item) { own.run(p, item); });
  }
};

template <int width, typename Row>
void sweep_rows(cudaStream_t stream, const Shape& shape, const Row& row) {
  const Positions positions(shape);
  if (positions.count() == 0) return;
  require_launchable(positions.count());
  const Sweep sweep(positions.count(), shape[Dim::c] / width);
  launch(stream, sweep.threads(), SweepRows<width, Row>{sweep, row});
}

template <typename T, int width>
struct ForwardRow {
  struct Item {
    Vector<T, width> x;
    Vector<T, width> residual;
  };
  static constexpr int batch = 2;

  Positions positions;
  Block<const T> x;
  Block<const T> residual;  // null: none
  Block<T> y;
  const Compute<T>* numbers;
  std::int64_t channels;
  bool relu;
  std::uint32_t channel = 0;
  Vector<Compute<T>, width> mean = {};
  Vector<Compute<T>, width> factor = {};
  Vector<Compute<T>, width> shift = {};

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel) {
    channel = first_channel;
    mean = numbers_of<T, width>(numbers, channels, 0, channel);
    factor = numbers_of<T, width>(numbers, channels, 1, channel);
    shift = numbers_of<T, width>(numbers, channels, 2, channel);
  }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const {
    const Position position = positions.at(index);
    Item item;
    item.x = fetch<width>(x.at(position) + channel);
    if (residual.data != nullptr) item.residual = fetch<width>(residual.at(position) + channel);
    return item;
  }
  CNNPLAN_HOST_DEVICE void run(std::uint32_t index, const Item& item) const {
    Vector<Compute<T>, width> value = widen(item.x);
    for (int i = 0; i < width; ++i) {
      value.values[i] = (value.values[i] - mean.values[i]) * factor.values[i] + shift.values[i];
    }
    if (residual.data != nullptr) {
      const auto added = widen(item.residual);
      for (int i = 0; i < width; ++i) value.values[i] += added.values[i];
    }
    for (int i = 0; relu && i < width; ++i) {
      value.values[i] = value.values[i] < Compute<T>{0} ? Compute<T>{0} : value.values[i];
    }
    store<width>(y.at(positions.at(index)) + channel, value);
  }
};

// Sum and sum of squares.
template <typename T, int width>
struct SquaresTerm {
  using Item = Vector<T, width>;
  static constexpr int batch = 8;

  Positions positions;
  Block<const T> x;
  std::uint32_t channel = 0;

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel) { channel = first_channel; }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const {
    return fetch<width>(x.at(positions.at(index)) + channel);
  }
  CNNPLAN_HOST_DEVICE void add(std::uint32_t, const Item& item, Partial<T, width, 2>& sums) const {
    const auto value = widen(item);
    for (int i = 0; i < width; ++i) {
      sums.values[0].values[i] += value.values[i];
      sums.values[1].values[i] += value.values[i] * value.values[i];
    }
  }
};

struct SetSums {
  double* sums;
  std::int64_t channels;
  double count;

  CNNPLAN_HOST_DEVICE void set(int k, std::uint32_t channel, double value) const {
    sums[k * channels + channel] = value;
    if (k == 0 && channel == 0) sums[2 * channels] = count;
  }
};

// mean and inverse deviation per channel.
template <typename Number>
struct NormalisingNumbers {
  const double* sums;
  Number* numbers;
  std::int64_t channels;
  double epsilon;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t c) const {
    const Moments moments = Moments::of(sums, channels, c);
    numbers[c] = static_cast<Number>(moments.mean);
    numbers[channels + c] = static_cast<Number>(moments.inverse_deviation(epsilon));
  }
};

// x and what arrives from behind, masked by y > 0 where there is a y.
template <typename T, int width>
struct GradientItem {
  Vector<T, width> x;
  Vector<T, width> dy;
  Vector<T, width> y;

  CNNPLAN_HOST_DEVICE Vector<Compute<T>, width> gradient(bool masked) const {
    auto gradient = widen(dy);
    if (masked) {
      const auto output = widen(y);
      for (int i = 0; i < width; ++i) {
        if (!(output.values[i] > Compute<T>{0})) gradient.values[i] = Compute<T>{0};
      }
    }
    return gradient;
  }
};

template <typename T, int width>
struct GradientBlocks {
  Positions positions;
  Block<const T> x;
  Block<const T> dy;
  Block<const T> y;  // null: no mask

  CNNPLAN_HOST_DEVICE bool masked() const { return y.data != nullptr; }
  CNNPLAN_HOST_DEVICE GradientItem<T, width> at(std::uint32_t index, std::uint32_t channel) const {
    const Position position = positions.at(index);
    GradientItem<T, width> item;
    item.x = fetch<width>(x.at(position) + channel);
    item.dy = fetch<width>(dy.at(position) + channel);
    if (masked()) item.y = fetch<width>(y.at(position) + channel);
    return item;
  }
};

// Sum of dz and of dz * normalised x, where dz = dy masked by y > 0; dz is kept where asked for.
template <typename T, int width>
struct GradientTerm {
  using Item = GradientItem<T, width>;
  static constexpr int batch = 4;

  GradientBlocks<T, width> blocks;
  Block<T> dz;  // null: not kept
  const Compute<T>* numbers;
  std::int64_t channels;
  std::uint32_t channel = 0;
  Vector<Compute<T>, width> mean = {};
  Vector<Compute<T>, width> inverse = {};

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel) {
    channel = first_channel;
    mean = numbers_of<T, width>(numbers, channels, 0, channel);
    inverse = numbers_of<T, width>(numbers, channels, 1, channel);
  }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const { return blocks.at(index, channel); }
  CNNPLAN_HOST_DEVICE void add(std::uint32_t index,
                               const Item& item,
                               Partial<T, width, 2>& sums) const {
    const auto value = widen(item.x);
    const auto gradient = item.gradient(blocks.masked());
    if (dz.data != nullptr) {
      store<width>(dz.at(blocks.positions.at(index)) + channel, gradient);
    }
    for (int i = 0; i < width; ++i) {
      const Compute<T> normalised = (value.values[i] - mean.values[i]) * inverse.values[i];
      sums.values[0].values[i] += gradient.values[i];
      sums.values[1].values[i] += gradient.values[i] * normalised;
    }
  }
};

template <typename Number>
struct SetGradientSums {
  double* sums;
  Number* dscale;
  Number* dshift;
  std::int64_t channels;

  CNNPLAN_HOST_DEVICE void set(int k, std::uint32_t channel, double value) const {
    sums[k * channels + channel] = value;
    (k == 0 ? dshift : dscale)[channel] = static_cast<Number>(value);
  }
};

// dx = factor (dz - mean of dz - (x - mean) slope), per channel.
template <typename Number>
struct BackwardNumbers {
  const double* sums;
  const double* gradient_sums;
  const Number* scale;
  Number* numbers;  // mean, factor, mean of dz, slope
  std::int64_t channels;
  double epsilon;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t c) const {
    const Moments moments = Moments::of(sums, channels, c);
    const double count = sums[2 * channels];
    const double inverse = moments.inverse_deviation(epsilon);
    numbers[c] = static_cast<Number>(moments.mean);
    numbers[channels + c] = static_cast<Number>(static_cast<double>(scale[c]) * inverse);
    numbers[2 * channels + c] = static_cast<Number>(gradient_sums[c] / count);
    numbers[3 * channels + c] = static_cast<Number>(inverse * gradient_sums[channels + c] / count);
  }
};

template <typename T, int width>
struct BackwardRow {
  using Item = GradientItem<T, width>;
  static constexpr int batch = 2;

  GradientBlocks<T, width> blocks;
  Block<T> dx;
  const Compute<T>* numbers;
  std::int64_t channels;
  std::uint32_t channel = 0;
  Vector<Compute<T>, width> mean = {};
  Vector<Compute<T>, width> factor = {};
  Vector<Compute<T>, width> centre = {};
  Vector<Compute<T>, width> slope = {};

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel) {
    channel = first_channel;
    mean = numbers_of<T, width>(numbers, channels, 0, channel);
    factor = numbers_of<T, width>(numbers, channels, 1, channel);
    centre = numbers_of<T, width>(numbers, channels, 2, channel);
    slope = numbers_of<T, width>(numbers, channels, 3, channel);
  }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const { return blocks.at(index, channel); }
  CNNPLAN_HOST_DEVICE void run(std::uint32_t index, const Item& item) const {
    const auto value = widen(item.x);
    auto gradient = item.gradient(blocks.masked());
    for (int i = 0; i < width; ++i) {
      const Compute<T> centred = gradient.values[i] - centre.values[i] -
                                 (value.values[i] - mean.values[i]) * slope.values[i];
      gradient.values[i] = factor.values[i] * centred;
    }
    store<width>(dx.at(blocks.positions.at(index)) + channel, gradient);
  }
};

template <typename T, int width>
void forward_statistics(const BatchNormCall& call, Operands operands) {
  const Positions positions(call.spec.in);
  const std::int64_t channels = call.spec.in[Dim::c];
  column_sums<T, width, 2>(
      call.stream,
      Strips(positions.count(), channels, width),
      call.workspace,
      SquaresTerm<T, width>{positions, Block<const T>(operands[0])},
      SetSums{operands[1].as<double>(), channels, static_cast<double>(positions.count())});
}

template <typename T, int width>
void forward(const BatchNormCall& call, Operands operands) {
  const KernelSpec& spec = call.spec;
  const std::int64_t channels = spec.out[Dim::c];
  auto* numbers = static_cast<Compute<T>*>(call.workspace);
  launch(call.stream,
         channels,
         ForwardNumbers<T>{operands[1].as<const double>(),
                           operands[2].as<const Compute<T>>(),
                           operands[3].as<const Compute<T>>(),
                           operands[4].as<Compute<T>>(),
                           operands[5].as<Compute<T>>(),
                           numbers,
                           call.step,
                           channels,
                           call.constants.epsilon,
                           call.constants.running_momentum});
  sweep_rows<width>(
      call.stream,
      spec.out,
      ForwardRow<T, width>{Positions(spec.out),
                           Block<const T>(operands[0]),
                           spec.residual ? Block<const T>(operands[6]) : Block<const T>(),
                           Block<T>(operands.back()),
                           numbers,
                           channels,
                           spec.relu});
}

template <typename T, int width>
void backward_statistics(const BatchNormCall& call, Operands operands) {
  const KernelSpec& spec = call.spec;
  const std::int64_t channels = spec.out[Dim::c];
  const Operands rest = operands.subspan(spec.relu ? 3 : 2);
  auto* numbers = static_cast<Compute<T>*>(call.workspace);
  launch(call.stream,
         channels,
         NormalisingNumbers<Compute<T>>{
             rest[0].as<const double>(), numbers, channels, call.constants.epsilon});
  const Positions positions(spec.out);
  column_sums<T, width, 2>(
      call.stream,
      Strips(positions.count(), channels, width),
      static_cast<double*>(call.workspace) + most_numbers_per_channel * channels,
      GradientTerm<T, width>{{positions,
                              Block<const T>(operands[0]),
                              Block<const T>(operands[1]),
                              spec.relu ? Block<const T>(operands[2]) : Block<const T>()},
                             spec.residual ? Block<T>(rest[4]) : Block<T>(),
                             numbers,
                             channels},
      SetGradientSums<Compute<T>>{
          rest[1].as<double>(), rest[2].as<Compute<T>>(), rest[3].as<Compute<T>>(), channels});
}

template <typename T, int width>
void backward_data(const BatchNormCall& call, Operands operands) {
  const KernelSpec& spec = call.spec;
  const bool masked = spec.relu && !spec.residual;
  const std::int64_t channels = spec.in[Dim::c];
  const Operands rest = operands.subspan(masked ? 3 : 2);
  auto* numbers = static_cast<Compute<T>*>(call.workspace);
  launch(call.stream,
         channels,
         BackwardNumbers<Compute<T>>{rest[0].as<const double>(),
                                     rest[1].as<const double>(),
                                     rest[2].as<const Compute<T>>(),
                                     numbers,
                                     channels,
                                     call.constants.epsilon});
  sweep_rows<width>(call.stream,
                    spec.in,
                    BackwardRow<T, width>{{Positions(spec.in),
                                           Block<const T>(operands[0]),
                                           Block<const T>(operands[1]),
                                           masked ? Block<const T>(operands[2]) : Block<const T>()},
                                          Block<T>(rest[3]),
                                          numbers,
                                          channels});
}

}  // namespace

std::int64_t batch_norm_workspace_bytes(const KernelSpec& spec) {
  const std::int64_t channels = spec.out[Dim::c];
  const std::int64_t numbers =
      most_numbers_per_channel * channels * static_cast<std::int64_t>(sizeof(double));
  const bool sums = spec.phase == KernelPhase::forward_statistics ||
                    spec.phase == KernelPhase::backward_statistics;
  return numbers + (sums ? Strips::workspace_bytes(Positions(spec.out).count(), channels, 2) : 0);
}

void batch_norm(const BatchNormCall& call, std::span<const TensorView> operands) {
  with_kind(call.spec.precision, call.spec.out[Dim::c], [&]<typename K>(K) {
    switch (call.spec.phase) {
      case KernelPhase::forward_statistics:
        return forward_statistics<typename K::Type, K::channels>(call, operands);
      case KernelPhase::forward:
        return forward<typename K::Type, K::channels>(call, operands);
      case KernelPhase::backward_statistics:
        return backward_statistics<typename K::Type, K::channels>(call, operands);
      default:
        return backward_data<typename K::Type, K::channels>(call, operands);
    }
  });
}

}  // namespace cnnplan::cudnn
