// Computes the sums over the gradients of a block, and its error signal.
#include "executor/backend/cudnn/kernels/batch_norm_kernels.hpp"
#include "executor/backend/cudnn/kernels/batch_norm_numbers.hpp"
#include "executor/backend/cudnn/kernels/column_sums.hpp"
#include "planner/kernel/kernel_work.hpp"

namespace cnnplan::cudnn {
namespace {

// Says how the ReLU masks a gradient. Without a residual input, the sign of the output follows from
// x, which is read anyway. Each mask has kernels of its own, so that no thread reserves registers
// for what it does not read. Where the forward pass kept bits, and a thread takes the channels of a
// byte, they take the place of y. Kernels that add two error signals are separate for the same
// reason.
enum class Mask { none, from_y, from_x, from_bits };

Mask mask_of(const KernelSpec& spec) {
  if (masks(spec)) return Mask::from_x;
  const bool reads_y = spec.relu && spec.phase == KernelPhase::backward_statistics;
  return reads_y ? Mask::from_y : Mask::none;
}

// Views an operand that only some kernels have.
template <typename Number>
const Number* parameters_of(const OperandsByRole& operands, Role role) {
  return operands.has(role) ? operands[role].as<const Number>() : nullptr;
}

// Holds x and the gradient that arrives.
template <typename T, int width, Mask mask, bool adds>
struct GradientItem {
  Vector<T, width> x;
  Vector<T, width> dy;
  Vector<T, width> second_dy;  // is read where the kernel adds two error signals
  Vector<T, width> y;          // is read where the mask is from_y
  std::uint8_t bits = 0;       // are read where the mask is from_bits

  // Returns dy, or the sum of both error signals as memory would hold it.
  CNNPLAN_HOST_DEVICE Vector<Computed<T>, width> arrived() const {
    auto sum = widen(dy);
    if constexpr (adds) {
      const auto added = widen(second_dy);
      for (int i = 0; i < width; ++i) {
        sum.values[i] = static_cast<Computed<T>>(static_cast<T>(sum.values[i] + added.values[i]));
      }
    }
    return sum;
  }
  // Returns the gradient that arrived, masked by y > 0.
  CNNPLAN_HOST_DEVICE Vector<Computed<T>, width> gradient(const Normalisation<T, width>& by) const {
    auto gradient = arrived();
    if constexpr (mask == Mask::from_x) {
      const auto value = widen(x);
      for (int i = 0; i < width; ++i) {
        if (!by.is_positive(value.values[i], i)) gradient.values[i] = Computed<T>{0};
      }
    } else if constexpr (mask == Mask::from_y) {
      const auto output = widen(y);
      for (int i = 0; i < width; ++i) {
        if (!(output.values[i] > Computed<T>{0})) gradient.values[i] = Computed<T>{0};
      }
    } else if constexpr (mask == Mask::from_bits) {
      for (int i = 0; i < width; ++i) {
        if ((bits >> i & 1U) == 0) gradient.values[i] = Computed<T>{0};
      }
    }
    return gradient;
  }
};

template <typename T, int width, Mask mask, bool adds>
struct GradientBlocks {
  using Item = GradientItem<T, width, mask, adds>;

  Positions positions;
  Block<const T> x;
  Block<const T> dy;
  Block<const T> second_dy;  // is read where the kernel adds two error signals
  Block<const T> y;          // is read where the mask is from_y
  MaskBlock<const std::uint8_t> bits = {};

  CNNPLAN_HOST_DEVICE Item at(std::uint32_t index, std::uint32_t channel) const {
    const Place place = positions.place(index);
    Item item;
    item.x = fetch<width>(x.at(place) + channel);
    item.dy = fetch<width>(dy.at(place) + channel);
    if constexpr (adds) item.second_dy = fetch<width>(second_dy.at(place) + channel);
    if constexpr (mask == Mask::from_y) item.y = fetch<width>(y.at(place) + channel);
    if constexpr (mask == Mask::from_bits) item.bits = fetch<1>(bits.at(index, channel)).values[0];
    return item;
  }
};

// Computes the numbers per channel with which gradients are masked and summed.
template <typename T>
struct NormalisingNumbers {
  using Numbers = TileNumbers<T, 3>;  // mean, and with a mask from x: factor, shift

  const double* sums;
  const Computed<T>* scale;  // null: no mask from x
  const Computed<T>* shift;
  std::int64_t channels;
  double epsilon;

  CNNPLAN_HOST_DEVICE void prepare(std::uint32_t c,
                                   std::uint32_t in_tile,
                                   Numbers& numbers,
                                   bool) const {
    const Moments moments = Moments::of(sums, channels, c);
    numbers.values[0][in_tile] = stored<Computed<T>>(moments.mean);
    if (scale == nullptr) return;
    numbers.values[1][in_tile] = stored<Computed<T>>(moments.inverse_deviation(epsilon) * scale[c]);
    numbers.values[2][in_tile] = shift[c];
  }
};

// Sums dz and dz (x - mean). dz is kept where there is a block for it, which may be that of an
// error signal: each thread reads a position before it writes the position.
template <typename T, int width, Mask mask, bool adds>
struct GradientTerm : NormalisingNumbers<T> {
  using Numbers = typename NormalisingNumbers<T>::Numbers;
  using Item = GradientItem<T, width, mask, adds>;
  // With a fourth position, the registers of a thread would not hold what these kernels read.
  static constexpr int batch = adds && mask != Mask::none ? 3 : 4;

  GradientBlocks<T, width, mask, adds> blocks;
  Block<T> dz;  // null, and with a mask from x: not kept
  std::uint32_t channel = 0;
  Normalisation<T, width> by = {};

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel,
                                 std::uint32_t in_tile,
                                 const Numbers& numbers) {
    channel = first_channel;
    by.mean = numbers.template of<width>(0, in_tile);
    if constexpr (mask == Mask::from_x) {
      by.factor = numbers.template of<width>(1, in_tile);
      by.shift = numbers.template of<width>(2, in_tile);
    }
  }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const { return blocks.at(index, channel); }
  CNNPLAN_HOST_DEVICE void add(std::uint32_t index,
                               const Item& item,
                               Partial<T, width, 2>& sums) const {
    const auto value = widen(item.x);
    const auto gradient = item.gradient(by);
    if constexpr (mask != Mask::from_x) {
      if (dz.data != nullptr) {
        store<width>(dz.at(blocks.positions.place(index)) + channel, gradient);
      }
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
  double* gradient_sums;
  Number* dscale;
  Number* dshift;
  const double* sums;
  std::int64_t channels;
  double epsilon;

  CNNPLAN_HOST_DEVICE void set(int k, std::uint32_t channel, double value) const {
    double sum = value;
    if (k == 1) sum *= Moments::of(sums, channels, channel).inverse_deviation(epsilon);
    gradient_sums[k * channels + channel] = sum;
    (k == 0 ? dshift : dscale)[channel] = stored<Number>(sum);
  }
};

// Computes the numbers per channel of dx = factor (dz - mean of dz - (x - mean) slope).
template <typename T>
struct BackwardNumbers {
  using Numbers = TileNumbers<T, 5>;  // mean, factor, mean of dz, slope, and for a mask: shift

  const double* sums;
  const double* gradient_sums;
  const Computed<T>* scale;
  const Computed<T>* shift;  // null: no mask from x
  std::int64_t channels;
  double epsilon;

  CNNPLAN_HOST_DEVICE void prepare(std::uint32_t c,
                                   std::uint32_t in_tile,
                                   Numbers& numbers,
                                   bool) const {
    const Moments moments = Moments::of(sums, channels, c);
    const double count = sums[2 * channels];
    const double inverse = moments.inverse_deviation(epsilon);
    const auto set = [&numbers, in_tile](int k, double value) {
      numbers.values[k][in_tile] = stored<Computed<T>>(value);
    };
    set(0, moments.mean);
    set(1, inverse * scale[c]);
    set(2, gradient_sums[c] / count);
    set(3, inverse * gradient_sums[channels + c] / count);
    if (shift != nullptr) set(4, shift[c]);
  }
};

template <typename T, int width, Mask mask>
struct BackwardRow : BackwardNumbers<T> {
  using Numbers = typename BackwardNumbers<T>::Numbers;
  using Item = GradientItem<T, width, mask, false>;
  static constexpr int batch = 4;

  GradientBlocks<T, width, mask, false> blocks;
  Block<T> dx;
  std::uint32_t channel = 0;
  Normalisation<T, width> by = {};
  Vector<Computed<T>, width> centre = {};
  Vector<Computed<T>, width> slope = {};

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel,
                                 std::uint32_t in_tile,
                                 const Numbers& numbers) {
    channel = first_channel;
    by.mean = numbers.template of<width>(0, in_tile);
    by.factor = numbers.template of<width>(1, in_tile);
    centre = numbers.template of<width>(2, in_tile);
    slope = numbers.template of<width>(3, in_tile);
    if constexpr (mask == Mask::from_x) by.shift = numbers.template of<width>(4, in_tile);
  }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const { return blocks.at(index, channel); }
  CNNPLAN_HOST_DEVICE void run(std::uint32_t index, const Item& item) const {
    const auto value = widen(item.x);
    auto gradient = item.gradient(by);
    for (int i = 0; i < width; ++i) {
      const Computed<T> centred = gradient.values[i] - centre.values[i] -
                                  (value.values[i] - by.mean.values[i]) * slope.values[i];
      gradient.values[i] = by.factor.values[i] * centred;
    }
    store<width>(dx.at(blocks.positions.place(index)) + channel, gradient);
  }
};

template <typename T, int width, Mask mask, bool adds = false>
void backward_statistics(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const std::int64_t channels = spec.out[Dim::c];
  const auto* sums = operands[Role::sums].as<const double>();
  const TensorView& x = operands[Role::x];
  const TensorView& dy = operands[Role::dy];
  const bool keeps_dz = operands.has(Role::dz);
  const TensorView& second_dy = adds ? operands[Role::second_dy] : x;
  const TensorView& y = mask == Mask::from_y ? operands[Role::y] : x;
  const TensorView& dz = keeps_dz ? operands[Role::dz] : x;
  const Positions positions(spec.out, {&x, &dy, &second_dy, &y, &dz});
  column_sums<T, width, 2>(
      call.sums(),
      positions.count(),
      channels,
      GradientTerm<T, width, mask, adds>{
          {sums,
           parameters_of<Computed<T>>(operands, Role::scale),
           parameters_of<Computed<T>>(operands, Role::shift),
           channels,
           call.constants.epsilon},
          {positions,
           Block<const T>(x),
           Block<const T>(dy),
           Block<const T>(second_dy),
           Block<const T>(y),
           mask == Mask::from_bits ? MaskBlock<const std::uint8_t>(operands[Role::mask], channels)
                                   : MaskBlock<const std::uint8_t>()},
          keeps_dz ? Block<T>(dz) : Block<T>()},
      SetGradientSums<Computed<T>>{operands[Role::gradient_sums].as<double>(),
                                   operands[Role::dscale].as<Computed<T>>(),
                                   operands[Role::dshift].as<Computed<T>>(),
                                   sums,
                                   channels,
                                   call.constants.epsilon});
}

template <typename T, int width, Mask mask>
void backward_data(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const std::int64_t channels = spec.in[Dim::c];
  const TensorView& x = operands[Role::x];
  const TensorView& dz = operands[Role::dz];
  const TensorView& dx = operands[Role::dx];
  const Positions positions(spec.in, {&x, &dz, &dx});
  if (positions.count() == 0) return;
  sweep_tiles(
      call.stream,
      Tiles::of<T, width>(positions.count(), channels),
      BackwardRow<T, width, mask>{
          {operands[Role::sums].as<const double>(),
           operands[Role::gradient_sums].as<const double>(),
           operands[Role::scale].as<const Computed<T>>(),
           parameters_of<Computed<T>>(operands, Role::shift),
           channels,
           call.constants.epsilon},
          {positions, Block<const T>(x), Block<const T>(dz), Block<const T>(), Block<const T>()},
          Block<T>(dx)});
}

template <typename T, int width>
void backward_statistics_by_bits(const KernelCall& call, const OperandsByRole& operands) {
  call.spec.second_dy ? backward_statistics<T, width, Mask::from_bits, true>(call, operands)
                      : backward_statistics<T, width, Mask::from_bits>(call, operands);
}

template <typename T, int width>
void backward(const KernelCall& call, const OperandsByRole& operands) {
  const Mask mask = mask_of(call.spec);
  if (call.spec.phase == KernelPhase::backward_data) {
    return mask == Mask::from_x ? backward_data<T, width, Mask::from_x>(call, operands)
                                : backward_data<T, width, Mask::none>(call, operands);
  }
  if constexpr (width == mask_channels) {
    if (operands.has(Role::mask)) return backward_statistics_by_bits<T, width>(call, operands);
  }
  if (call.spec.second_dy) {
    return mask == Mask::from_y ? backward_statistics<T, width, Mask::from_y, true>(call, operands)
                                : backward_statistics<T, width, Mask::none, true>(call, operands);
  }
  switch (mask) {
    case Mask::none:
      return backward_statistics<T, width, Mask::none>(call, operands);
    case Mask::from_y:
      return backward_statistics<T, width, Mask::from_y>(call, operands);
    default:
      return backward_statistics<T, width, Mask::from_x>(call, operands);
  }
}

}  // namespace

void batch_norm_backward(const KernelCall& call, const OperandsByRole& operands) {
  const std::int64_t channels = vector_channels(call.spec.out[Dim::c], operands.in_order());
  with_kind(call.spec.precision, channels, [&]<typename K>(K) {
    backward<typename K::Type, K::channels>(call, operands);
  });
}

}  // namespace cnnplan::cudnn
