// Computes the statistics of a block, and normalises it.
#include <limits>
#include <type_traits>

#include "executor/backend/cudnn/kernels/batch_norm_kernels.hpp"
#include "executor/backend/cudnn/kernels/batch_norm_numbers.hpp"
#include "executor/backend/cudnn/kernels/column_sums.hpp"
#include "executor/backend/element_wise_functions.hpp"

namespace cnnplan::cudnn {
namespace {

// Computes the numbers per channel of y = (x - mean) * factor + shift, and updates running values.
template <typename T>
struct ForwardNumbers {
  using Numbers = TileNumbers<T, 3>;  // mean, factor, shift

  const double* sums;
  const Computed<T>* scale;
  const Computed<T>* shift;
  Computed<T>* running_mean;
  Computed<T>* running_variance;
  const StepValues* step;
  std::int64_t channels;
  double epsilon;
  double momentum;

  // Other blocks read running values only where none are updated.
  CNNPLAN_HOST_DEVICE void prepare(std::uint32_t c,
                                   std::uint32_t in_tile,
                                   Numbers& numbers,
                                   bool is_first_block) const {
    const bool uses_batch = step->training && sums[2 * channels] > 0.0;
    const Moments moments =
        uses_batch ? Moments::of(sums, channels, c) : Moments{running_mean[c], running_variance[c]};
    if (uses_batch && is_first_block) update_running(c, moments);
    numbers.values[0][in_tile] = stored<Computed<T>>(moments.mean);
    numbers.values[1][in_tile] = stored<Computed<T>>(moments.inverse_deviation(epsilon) * scale[c]);
    numbers.values[2][in_tile] = shift[c];
  }

 private:
  // The running variance is the unbiased one.
  CNNPLAN_HOST_DEVICE void update_running(std::uint32_t c, const Moments& batch) const {
    const double count = sums[2 * channels];
    const double unbias = count > 1.0 ? count / (count - 1.0) : 1.0;
    const auto mixed = [this](double old, double fresh) {
      return stored<Computed<T>>((1.0 - momentum) * old + momentum * fresh);
    };
    running_mean[c] = mixed(running_mean[c], batch.mean);
    running_variance[c] = mixed(running_variance[c], batch.variance * unbias);
  }
};

// Normalises a block, and keeps where its outputs are above 0 if `marks`.
template <typename T, int width, bool marks>
struct ForwardRow : ForwardNumbers<T> {
  using Numbers = typename ForwardNumbers<T>::Numbers;
  struct Item {
    Vector<T, width> x;
    Vector<T, width> residual;
  };
  static constexpr int batch = 4;

  Positions positions;
  Block<const T> x;
  Block<const T> residual;  // null: none
  Block<T> y;
  MaskBlock<std::uint8_t> mask;
  bool relu;
  std::uint32_t channel = 0;
  Normalisation<T, width> by = {};

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel,
                                 std::uint32_t in_tile,
                                 const Numbers& numbers) {
    channel = first_channel;
    by.mean = numbers.template of<width>(0, in_tile);
    by.factor = numbers.template of<width>(1, in_tile);
    by.shift = numbers.template of<width>(2, in_tile);
  }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const {
    const Place place = positions.place(index);
    Item item;
    item.x = fetch<width>(x.at(place) + channel);
    if (residual.data != nullptr) item.residual = fetch<width>(residual.at(place) + channel);
    return item;
  }
  CNNPLAN_HOST_DEVICE void run(std::uint32_t index, const Item& item) const {
    Vector<Computed<T>, width> value = widen(item.x);
    for (int i = 0; i < width; ++i) value.values[i] = by.value(value.values[i], i);
    if (residual.data != nullptr) {
      const auto added = widen(item.residual);
      for (int i = 0; i < width; ++i) value.values[i] += added.values[i];
    }
    for (int i = 0; relu && i < width; ++i) {
      value.values[i] = positive_part(value.values[i]);
    }
    const Vector<T, width> output = narrow<T>(value);
    put<width>(y.at(positions.place(index)) + channel, output);
    if constexpr (marks) put<1>(mask.at(index, channel), positive_bits(output));
  }
};

// Makes a byte of a mask from the outputs, where accesses are too narrow for ForwardRow to do it.
template <typename T>
struct MaskFromOutput {
  Positions positions;
  Divider bytes;  // divides by the number of bytes of a position
  Block<const T> y;
  std::uint8_t* mask;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [position, byte] = divide(index, bytes);
    const T* first = y.at(positions.place(position)) + byte * mask_channels;
    Vector<T, mask_channels> output;
    for (int i = 0; i < mask_channels; ++i) output.values[i] = first[i];
    put<1>(mask + index, positive_bits(output));
  }
};

// Says that no sums are known before a block is read.
struct NothingKnown {};

constexpr double largest_sum = std::numeric_limits<float>::max();

// Holds the sums of an engine and the number of terms.
struct KnownSums {
  EngineSums sums;
  double count;

  // The terms of the variance cancel by fewer than 7 bits. A sum that is not finite is refused: an
  // infinite sum of values leaves no variance that is above 0.
  CNNPLAN_HOST_DEVICE bool are_good(float value, float square) const {
    const double mean = value / count;
    const double variance = multiply_add(-mean, mean, square / count);
    return square <= largest_sum && mean * mean <= most_mean_squares * variance;
  }
};

// Finds the sum of a strip, and the sum of the squared distances from the strip's mean. Squares of
// numbers with a large mean would cancel in the variance (Chan, Golub, LeVeque 1983). The sum of
// squares is made of both, in double.
template <typename T, int width, typename Known = NothingKnown>
struct MomentsTerm : BlockReader<T, width> {
  using Item = Vector<T, width>;
  using Real = Computed<T>;

  Known known = {};
  std::uint32_t terms = 0;
  Real inverse_terms = 0;

  // The sums of all channels of the vector are known, or all channels are added.
  CNNPLAN_HOST_DEVICE bool is_needed() const requires std::is_same_v<Known, KnownSums> {
    const auto values = fetch<width>(known.sums.values + this->channel);
    const auto squares = fetch<width>(known.sums.squares + this->channel);
    bool are_good = true;
    for (int i = 0; i < width; ++i) {
      are_good = are_good && known.are_good(values.values[i], squares.values[i]);
    }
    return !are_good;
  }
  CNNPLAN_HOST_DEVICE void add_batch(const Batch<MomentsTerm>& batch, Partial<T, width, 2>& own) {
    std::uint32_t fresh_terms = 0;
    Vector<Real, width> sum = {};
    batch.for_each([&](std::uint32_t, const Item& item) {
      const auto value = widen(item);
      for (int i = 0; i < width; ++i) sum.values[i] += value.values[i];
      ++fresh_terms;
    });
    const Real share = Real{1} / static_cast<Real>(fresh_terms);
    Vector<Real, width> mean;
    for (int i = 0; i < width; ++i) mean.values[i] = sum.values[i] * share;
    Vector<Real, width> spread = {};
    batch.for_each([&](std::uint32_t, const Item& item) {
      const auto value = widen(item);
      for (int i = 0; i < width; ++i) {
        const Real distance = value.values[i] - mean.values[i];
        spread.values[i] += distance * distance;
      }
    });
    const Real all_inverse = Real{1} / static_cast<Real>(terms + fresh_terms);
    const Real weight = static_cast<Real>(fresh_terms) * static_cast<Real>(terms) * all_inverse;
    for (int i = 0; i < width; ++i) {
      const Real distance = mean.values[i] - own.values[0].values[i] * inverse_terms;
      own.values[0].values[i] += sum.values[i];
      own.values[1].values[i] += spread.values[i] + distance * distance * weight;
    }
    terms += fresh_terms;
    inverse_terms = all_inverse;
  }
  CNNPLAN_HOST_DEVICE double total(const Partial<T, width, 2>& own, int k, int i) const {
    const double sum = own.values[0].values[i];
    if (k == 0) return sum;
    return own.values[1].values[i] + sum * sum / terms;
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

// Takes the known sums where they are good.
struct SetKnownSums {
  SetSums by;
  KnownSums known;

  CNNPLAN_HOST_DEVICE void set(int k, std::uint32_t channel, double value) const {
    const float sum = known.sums.values[channel];
    const float square = known.sums.squares[channel];
    const double engine_value = k == 0 ? sum : square;
    by.set(k, channel, known.are_good(sum, square) ? engine_value : value);
  }
};

template <typename T, int width>
void forward_statistics(const KernelCall& call, const OperandsByRole& operands) {
  const TensorView& x = operands[Role::x];
  const Positions positions(call.spec.in, {&x});
  const std::int64_t channels = call.spec.in[Dim::c];
  column_sums<T, width, 2>(
      call.sums(),
      positions.count(),
      channels,
      MomentsTerm<T, width>{{positions, Block<const T>(x)}},
      SetSums{operands[Role::sums].as<double>(), channels, static_cast<double>(positions.count())});
}

template <typename T>
void make_mask(const KernelCall& call, const OperandsByRole& operands) {
  const TensorView& y = operands[Role::y];
  const Positions positions(call.spec.out, {&y});
  const std::int64_t bytes = call.spec.out[Dim::c] / mask_channels;
  launch(
      call.stream,
      positions.count() * bytes,
      MaskFromOutput<T>{
          positions, Divider(bytes), Block<const T>(y), operands[Role::mask].as<std::uint8_t>()});
}

template <typename T, int width, bool marks>
void normalise(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const std::int64_t channels = spec.out[Dim::c];
  const TensorView& x = operands[Role::x];
  const TensorView& residual = operands[spec.residual ? Role::residual : Role::x];
  const TensorView& y = operands[Role::y];
  const Positions positions(spec.out, {&x, &residual, &y});
  sweep_tiles(
      call.stream,
      Tiles::of<T, width>(positions.count(), channels),
      ForwardRow<T, width, marks>{{operands[Role::sums].as<const double>(),
                                   operands[Role::scale].as<const Computed<T>>(),
                                   operands[Role::shift].as<const Computed<T>>(),
                                   operands[Role::running_mean].as<Computed<T>>(),
                                   operands[Role::running_variance].as<Computed<T>>(),
                                   call.step,
                                   channels,
                                   call.constants.epsilon,
                                   call.constants.running_momentum},
                                  positions,
                                  Block<const T>(x),
                                  spec.residual ? Block<const T>(residual) : Block<const T>(),
                                  Block<T>(y),
                                  marks ? MaskBlock<std::uint8_t>(operands[Role::mask], channels)
                                        : MaskBlock<std::uint8_t>(),
                                  spec.relu});
}

// True if a backward pass reads the mask. An inference has an operand without elements instead.
bool keeps_mask(const OperandsByRole& operands) {
  return operands.has(Role::mask) && !is_empty(operands[Role::mask].box);
}

template <typename T, int width>
void forward(const KernelCall& call, const OperandsByRole& operands) {
  if (!keeps_mask(operands)) return normalise<T, width, false>(call, operands);
  if constexpr (width == mask_channels) {
    normalise<T, width, true>(call, operands);
  } else {
    normalise<T, width, false>(call, operands);
    make_mask<T>(call, operands);
  }
}

}  // namespace

std::int64_t batch_norm_workspace_bytes(const KernelSpec& spec) {
  const bool sums = spec.phase == KernelPhase::forward_statistics ||
                    spec.phase == KernelPhase::backward_statistics;
  return sums ? sums_workspace_bytes(spec.out[Dim::c], 2) : 0;
}

std::int64_t statistics_workspace_bytes(std::int64_t channels) {
  return sums_workspace_bytes(channels, 2);
}

void complete_statistics(Precision precision,
                         const TensorView& x,
                         const EngineSums& engine_sums,
                         double* sums,
                         const SumScratch& scratch) {
  const Shape shape = x.shape();
  const std::int64_t channels = shape[Dim::c];
  const Positions positions(shape, {&x});
  const auto count = static_cast<double>(positions.count());
  const KnownSums known{engine_sums, count};
  with_kind(precision, channels, [&]<typename K>(K) {
    using T = typename K::Type;
    constexpr int width = K::channels;
    column_sums<T, width, 2>(
        scratch,
        positions.count(),
        channels,
        MomentsTerm<T, width, KnownSums>{{positions, Block<const T>(x)}, known},
        SetKnownSums{{sums, channels, count}, known});
  });
}

void batch_norm_forward(const KernelCall& call, const OperandsByRole& operands) {
  const std::int64_t channels = vector_channels(call.spec.out[Dim::c], operands.in_order());
  with_kind(call.spec.precision, channels, [&]<typename K>(K) {
    if (call.spec.phase == KernelPhase::forward_statistics) {
      forward_statistics<typename K::Type, K::channels>(call, operands);
    } else {
      forward<typename K::Type, K::channels>(call, operands);
    }
  });
}

}  // namespace cnnplan::cudnn
