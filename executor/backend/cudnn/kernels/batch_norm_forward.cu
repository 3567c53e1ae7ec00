// Computes the statistics of a block, and normalises it.
#include "executor/backend/cudnn/kernels/batch_norm_kernels.hpp"
#include "executor/backend/cudnn/kernels/batch_norm_numbers.hpp"
#include "executor/backend/element_wise_functions.hpp"

namespace cnnplan::cudnn {
namespace {

// Computes the numbers per channel of y = (x - mean) * factor + shift, and updates running values.
template <typename T>
struct ForwardNumbers {
  const double* sums;
  const Computed<T>* scale;
  const Computed<T>* shift;
  Computed<T>* running_mean;
  Computed<T>* running_variance;
  Computed<T>* numbers;  // mean, factor, shift
  const StepValues* step;
  std::int64_t channels;
  double epsilon;
  double momentum;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t c) const {
    Moments moments{running_mean[c], running_variance[c]};
    if (step->training && sums[2 * channels] > 0.0) {
      moments = Moments::of(sums, channels, c);
      update_running(c, moments);
    }
    numbers[c] = stored<Computed<T>>(moments.mean);
    numbers[channels + c] = stored<Computed<T>>(moments.inverse_deviation(epsilon) * scale[c]);
    numbers[2 * channels + c] = shift[c];
  }
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
  const Computed<T>* numbers;
  std::int64_t channels;
  bool relu;
  std::uint32_t channel = 0;
  Normalisation<T, width> by = {};

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel) {
    channel = first_channel;
    by.mean = numbers_of<T, width>(numbers, channels, 0, channel);
    by.factor = numbers_of<T, width>(numbers, channels, 1, channel);
    by.shift = numbers_of<T, width>(numbers, channels, 2, channel);
  }
  CNNPLAN_HOST_DEVICE Item read(std::uint32_t index) const {
    const Position position = positions.at(index);
    Item item;
    item.x = fetch<width>(x.at(position) + channel);
    if (residual.data != nullptr) item.residual = fetch<width>(residual.at(position) + channel);
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
    store<width>(y.at(positions.at(index)) + channel, value);
  }
};

// Finds the sum of a strip, and the sum of the squared distances from the strip's mean. Squares of
// numbers with a large mean would cancel in the variance (Chan, Golub, LeVeque 1983).
template <typename T, int width>
struct MomentsTerm : BlockReader<T, width> {
  using Item = Vector<T, width>;
  using Real = Computed<T>;

  std::uint32_t terms = 0;
  Real inverse_terms = 0;

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
};

// Turns the sums of distances from means into sums of squares, in double. Strips differ by one term
// at most.
struct AddedMoments {
  double totals[2] = {};
  double squared_sums[2] = {};  // of strips with fewer terms, and of strips with more
  std::uint32_t longer_strips;
  double terms;

  explicit AddedMoments(const Strips& strips)
      : longer_strips(static_cast<std::uint32_t>(strips.positions % strips.strips)),
        terms(static_cast<double>(strips.positions / strips.strips)) {}
  template <typename Number>
  CNNPLAN_HOST_DEVICE void add(std::uint32_t index, const SumsOf<Number, 1, 2>& strip) {
    const double sum = strip.values[0].values[0];
    totals[0] += sum;
    totals[1] += strip.values[1].values[0];
    if (index < longer_strips) {
      squared_sums[1] += sum * sum;
    } else {
      squared_sums[0] += sum * sum;
    }
  }
  CNNPLAN_HOST_DEVICE void finish() {
    if (terms > 0.0) totals[1] += squared_sums[0] / terms;
    totals[1] += squared_sums[1] / (terms + 1.0);
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

template <typename T, int width>
void forward_statistics(const KernelCall& call, const OperandsByRole& operands) {
  const Positions positions(call.spec.in);
  const std::int64_t channels = call.spec.in[Dim::c];
  column_sums<T, width, 2, AddedMoments>(
      call.stream,
      Strips(positions.count(), channels, width),
      call.workspace,
      MomentsTerm<T, width>{{positions, Block<const T>(operands[Role::x])}},
      SetSums{operands[Role::sums].as<double>(), channels, static_cast<double>(positions.count())});
}

template <typename T, int width>
void forward(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  const std::int64_t channels = spec.out[Dim::c];
  auto* numbers = call.workspace_as<Computed<T>>();
  launch(call.stream,
         channels,
         ForwardNumbers<T>{operands[Role::sums].as<const double>(),
                           operands[Role::scale].as<const Computed<T>>(),
                           operands[Role::shift].as<const Computed<T>>(),
                           operands[Role::running_mean].as<Computed<T>>(),
                           operands[Role::running_variance].as<Computed<T>>(),
                           numbers,
                           call.step,
                           channels,
                           call.constants.epsilon,
                           call.constants.running_momentum});
  sweep_rows<width>(call.stream,
                    spec.out,
                    ForwardRow<T, width>{
                        Positions(spec.out),
                        Block<const T>(operands[Role::x]),
                        spec.residual ? Block<const T>(operands[Role::residual]) : Block<const T>(),
                        Block<T>(operands[Role::y]),
                        numbers,
                        channels,
                        spec.relu});
}

}  // namespace

std::int64_t batch_norm_workspace_bytes(const KernelSpec& spec) {
  const std::int64_t channels = spec.out[Dim::c];
  const std::int64_t numbers = most_numbers_per_channel * channels * bytes_of(ElementType::fp64);
  const bool sums = spec.phase == KernelPhase::forward_statistics ||
                    spec.phase == KernelPhase::backward_statistics;
  return numbers + (sums ? Strips::workspace_bytes(Positions(spec.out).count(), channels, 2) : 0);
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
