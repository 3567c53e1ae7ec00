// Computes the sums over the gradients of a block, and its error signal.
#include "executor/backend/cudnn/kernels/batch_norm_kernels.hpp"
#include "executor/backend/cudnn/kernels/batch_norm_numbers.hpp"

namespace cnnplan::cudnn {
namespace {

// Says how the ReLU masks a gradient. Without a residual input, the sign of the output follows from
// x, which is read anyway.
enum class Mask { none, from_y, from_x };

Mask mask_of(const KernelSpec& spec) {
  if (!spec.relu) return Mask::none;
  if (!spec.residual) return Mask::from_x;
  return spec.phase == KernelPhase::backward_statistics ? Mask::from_y : Mask::none;
}

// Views an operand that only some kernels have.
template <typename Number>
const Number* parameters_of(const OperandsByRole& operands, Role role) {
  return operands.has(role) ? operands[role].as<const Number>() : nullptr;
}

// Computes mean and inverse deviation per channel, and what Normalisation needs if there is a mask.
template <typename Number>
struct NormalisingNumbers {
  const double* sums;
  const Number* scale;  // null: no mask from x
  const Number* shift;
  Number* numbers;  // mean, inverse deviation, factor, shift
  std::int64_t channels;
  double epsilon;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t c) const {
    const Moments moments = Moments::of(sums, channels, c);
    const double inverse = moments.inverse_deviation(epsilon);
    numbers[c] = stored<Number>(moments.mean);
    numbers[channels + c] = stored<Number>(inverse);
    if (scale == nullptr) return;
    numbers[2 * channels + c] = stored<Number>(inverse * scale[c]);
    numbers[3 * channels + c] = shift[c];
  }
};

// Holds x and the gradient that arrives.
template <typename T, int width>
struct GradientItem {
  Vector<T, width> x;
  Vector<T, width> dy;
  Vector<T, width> y;

  // Returns dy, masked by y > 0.
  CNNPLAN_HOST_DEVICE Vector<Computed<T>, width> gradient(Mask mask,
                                                          const Normalisation<T, width>& by) const {
    auto gradient = widen(dy);
    if (mask == Mask::none) return gradient;
    const auto seen = widen(mask == Mask::from_x ? x : y);
    for (int i = 0; i < width; ++i) {
      const bool passes = mask == Mask::from_x ? by.is_positive(seen.values[i], i)
                                               : seen.values[i] > Computed<T>{0};
      if (!passes) gradient.values[i] = Computed<T>{0};
    }
    return gradient;
  }
};

template <typename T, int width>
struct GradientBlocks {
  Positions positions;
  Block<const T> x;
  Block<const T> dy;
  Block<const T> y;  // is read where the mask is from_y
  Mask mask;

  CNNPLAN_HOST_DEVICE GradientItem<T, width> at(std::uint32_t index, std::uint32_t channel) const {
    const Position position = positions.at(index);
    GradientItem<T, width> item;
    item.x = fetch<width>(x.at(position) + channel);
    item.dy = fetch<width>(dy.at(position) + channel);
    if (mask == Mask::from_y) item.y = fetch<width>(y.at(position) + channel);
    return item;
  }
};

// Sums dz and dz (x - mean), where dz = dy masked by y > 0. dz is kept where there is a block for
// it.
template <typename T, int width>
struct GradientTerm {
  using Item = GradientItem<T, width>;
  static constexpr int batch = 4;

  GradientBlocks<T, width> blocks;
  Block<T> dz;  // null: not kept
  const Computed<T>* numbers;
  std::int64_t channels;
  std::uint32_t channel = 0;
  Normalisation<T, width> by = {};

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel) {
    channel = first_channel;
    by.mean = numbers_of<T, width>(numbers, channels, 0, channel);
    if (blocks.mask != Mask::from_x) return;
    by.factor = numbers_of<T, width>(numbers, channels, 2, channel);
    by.shift = numbers_of<T, width>(numbers, channels, 3, channel);
  }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const { return blocks.at(index, channel); }
  CNNPLAN_HOST_DEVICE void add(std::uint32_t index,
                               const Item& item,
                               Partial<T, width, 2>& sums) const {
    const auto value = widen(item.x);
    const auto gradient = item.gradient(blocks.mask, by);
    if (dz.data != nullptr) {
      store<width>(dz.at(blocks.positions.at(index)) + channel, gradient);
    }
    for (int i = 0; i < width; ++i) {
      sums.values[0].values[i] += gradient.values[i];
      sums.values[1].values[i] += gradient.values[i] * (value.values[i] - by.mean.values[i]);
    }
  }
};

// The sums are those of dz and of dz * normalised x.
template <typename Number>
struct SetGradientSums {
  double* sums;
  Number* dscale;
  Number* dshift;
  const Number* numbers;
  std::int64_t channels;

  CNNPLAN_HOST_DEVICE void set(int k, std::uint32_t channel, double value) const {
    const double sum = k == 0 ? value : value * numbers[channels + channel];
    sums[k * channels + channel] = sum;
    (k == 0 ? dshift : dscale)[channel] = stored<Number>(sum);
  }
};

// Computes the numbers per channel of dx = factor (dz - mean of dz - (x - mean) slope).
template <typename Number>
struct BackwardNumbers {
  const double* sums;
  const double* gradient_sums;
  const Number* scale;
  const Number* shift;  // null: no mask from x
  Number* numbers;      // mean, factor, mean of dz, slope, shift
  std::int64_t channels;
  double epsilon;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t c) const {
    const Moments moments = Moments::of(sums, channels, c);
    const double count = sums[2 * channels];
    const double inverse = moments.inverse_deviation(epsilon);
    numbers[c] = stored<Number>(moments.mean);
    numbers[channels + c] = stored<Number>(scale[c] * inverse);
    numbers[2 * channels + c] = stored<Number>(gradient_sums[c] / count);
    numbers[3 * channels + c] = stored<Number>(inverse * gradient_sums[channels + c] / count);
    if (shift != nullptr) numbers[4 * channels + c] = shift[c];
  }
};

template <typename T, int width>
struct BackwardRow {
  using Item = GradientItem<T, width>;
  static constexpr int batch = 2;

  GradientBlocks<T, width> blocks;
  Block<T> dx;
  const Computed<T>* numbers;
  std::int64_t channels;
  std::uint32_t channel = 0;
  Normalisation<T, width> by = {};
  Vector<Computed<T>, width> centre = {};
  Vector<Computed<T>, width> slope = {};

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel) {
    channel = first_channel;
    by.mean = numbers_of<T, width>(numbers, channels, 0, channel);
    by.factor = numbers_of<T, width>(numbers, channels, 1, channel);
    centre = numbers_of<T, width>(numbers, channels, 2, channel);
    slope = numbers_of<T, width>(numbers, channels, 3, channel);
    if (blocks.mask == Mask::from_x) {
      by.shift = numbers_of<T, width>(numbers, channels, 4, channel);
    }
  }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const { return blocks.at(index, channel); }
  CNNPLAN_HOST_DEVICE void run(std::uint32_t index, const Item& item) const {
    const auto value = widen(item.x);
    auto gradient = item.gradient(blocks.mask, by);
    for (int i = 0; i < width; ++i) {
      const Computed<T> centred = gradient.values[i] - centre.values[i] -
                                  (value.values[i] - by.mean.values[i]) * slope.values[i];
      gradient.values[i] = by.factor.values[i] * centred;
    }
    store<width>(dx.at(blocks.positions.at(index)) + channel, gradient);
  }
};

template <typename T, int width>
void backward_statistics(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const std::int64_t channels = spec.out[Dim::c];
  auto* numbers = call.workspace_as<Computed<T>>();
  launch(call.stream,
         channels,
         NormalisingNumbers<Computed<T>>{operands[Role::sums].as<const double>(),
                                         parameters_of<Computed<T>>(operands, Role::scale),
                                         parameters_of<Computed<T>>(operands, Role::shift),
                                         numbers,
                                         channels,
                                         call.constants.epsilon});
  const Mask mask = mask_of(spec);
  const Positions positions(spec.out);
  column_sums<T, width, 2>(
      call.stream,
      Strips(positions.count(), channels, width),
      call.workspace_as<double>() + most_numbers_per_channel * channels,
      GradientTerm<T, width>{
          {positions,
           Block<const T>(operands[Role::x]),
           Block<const T>(operands[Role::dy]),
           mask == Mask::from_y ? Block<const T>(operands[Role::y]) : Block<const T>(),
           mask},
          spec.residual ? Block<T>(operands[Role::dz]) : Block<T>(),
          numbers,
          channels},
      SetGradientSums<Computed<T>>{operands[Role::gradient_sums].as<double>(),
                                   operands[Role::dscale].as<Computed<T>>(),
                                   operands[Role::dshift].as<Computed<T>>(),
                                   numbers,
                                   channels});
}

template <typename T, int width>
void backward_data(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const std::int64_t channels = spec.in[Dim::c];
  auto* numbers = call.workspace_as<Computed<T>>();
  launch(call.stream,
         channels,
         BackwardNumbers<Computed<T>>{operands[Role::sums].as<const double>(),
                                      operands[Role::gradient_sums].as<const double>(),
                                      operands[Role::scale].as<const Computed<T>>(),
                                      parameters_of<Computed<T>>(operands, Role::shift),
                                      numbers,
                                      channels,
                                      call.constants.epsilon});
  sweep_rows<width>(call.stream,
                    spec.in,
                    BackwardRow<T, width>{{Positions(spec.in),
                                           Block<const T>(operands[Role::x]),
                                           Block<const T>(operands[Role::dz]),
                                           Block<const T>(),
                                           mask_of(spec)},
                                          Block<T>(operands[Role::dx]),
                                          numbers,
                                          channels});
}

}  // namespace

void batch_norm_backward(const KernelCall& call, const OperandsByRole& operands) {
  const std::int64_t channels = vector_channels(call.spec.out[Dim::c], operands.in_order());
  with_kind(call.spec.precision, channels, [&]<typename K>(K) {
    if (call.spec.phase == KernelPhase::backward_statistics) {
      backward_statistics<typename K::Type, K::channels>(call, operands);
    } else {
      backward_data<typename K::Type, K::channels>(call, operands);
    }
  });
}

}  // namespace cnnplan::cudnn
