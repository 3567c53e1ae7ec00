// Lets several threads read the classes of one position, neighbours reading neighbouring classes.
// One pass finds the largest value and the sum of exponentials (Milakov, Gimelshein 2018).
#include <cmath>
#include <limits>

#include "executor/backend/cudnn/kernels/column_sums.hpp"
#include "executor/backend/cudnn/kernels/softmax_kernels.hpp"

namespace cnnplan::cudnn {
namespace {

constexpr std::uint32_t lanes_of_many = 32;
constexpr std::int64_t many_classes = 64;

std::uint32_t lanes_of(std::int64_t classes) {
  return classes >= many_classes ? lanes_of_many : 1;
}

// Sums std::exp(x - reference). The reference is at most `slack` below the largest x. It moves
// seldom, since each move rounds the sum.
template <typename Number, typename Sum = Number>
struct Exponentials {
  static constexpr Number slack = 4;

  Number reference = -std::numeric_limits<Number>::infinity();
  Sum sum = 0;

  CNNPLAN_HOST_DEVICE void take(Number x) {
    if (x > reference + slack) move_to(x);
    sum += std::exp(x - reference);
  }
  template <typename OtherSum>
  CNNPLAN_HOST_DEVICE void take(const Exponentials<Number, OtherSum>& other) {
    if (other.reference > reference + slack) move_to(other.reference);
    sum += static_cast<Sum>(other.sum) * std::exp(other.reference - reference);
  }

 private:
  CNNPLAN_HOST_DEVICE void move_to(Number x) {
    sum *= std::exp(reference - x);
    reference = x;
  }
};

template <typename T>
struct ReadClasses {
  Positions positions;
  Divider lanes;
  std::uint32_t classes;
  Block<const T> x;
  Exponentials<Computed<T>>* partial;  // (positions, lanes)

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [place, lane] = divide(index, lanes);
    const T* values = x.at(positions.at(place));
    Exponentials<Computed<T>, double> own;
    for (std::uint32_t c = lane; c < classes;) {
      Exponentials<Computed<T>> chain;
      for (std::uint32_t k = 0; k < terms_per_chain && c < classes; ++k, c += lanes.divisor()) {
        chain.take(values[c]);
      }
      own.take(chain);
    }
    partial[index] = {own.reference, static_cast<Computed<T>>(own.sum)};
  }
};

// Merges what the lanes found, and computes the loss of every position.
template <typename T>
struct MergeLanes {
  Positions positions;
  std::uint32_t lanes;
  std::int64_t classes;
  Block<const T> x;
  const std::int32_t* labels;
  Exponentials<Computed<T>>* partial;  // the first lane of a position gets the result
  double* losses;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t place) const {
    Exponentials<Computed<T>>* const own = partial + std::int64_t{place} * lanes;
    Exponentials<Computed<T>, double> all;
    for (std::uint32_t lane = 0; lane < lanes; ++lane) all.take(own[lane]);
    const auto sum = static_cast<Computed<T>>(all.sum);
    own[0] = {all.reference, sum};
    const std::int32_t label = labels[place];
    if (label < 0 || label >= classes) {
      losses[place] = std::numeric_limits<double>::quiet_NaN();
      return;
    }
    const Computed<T> value = x.at(positions.at(place))[label];
    losses[place] = std::log(sum) - (value - all.reference);
  }
};

template <typename T>
struct WriteProbabilities {
  Positions positions;
  Divider classes;
  std::uint32_t lanes;
  Block<const T> x;
  const Exponentials<Computed<T>>* partial;
  Computed<T>* probabilities;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [place, c] = divide(index, classes);
    const Exponentials<Computed<T>> all = partial[std::int64_t{place} * lanes];
    const Computed<T> value = x.at(positions.at(place))[c];
    probabilities[index] = std::exp(value - all.reference) / all.sum;
  }
};

struct LossTerm {
  const double* losses;
  using Item = double;
  static constexpr int batch = 4;

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t) const {}
  CNNPLAN_HOST_DEVICE double read(std::uint32_t index) const { return losses[index]; }
  CNNPLAN_HOST_DEVICE void add(std::uint32_t, double loss, Partial<double, 1, 1>& sums) const {
    sums.values[0].values[0] += loss;
  }
};

struct SetLoss {
  double* loss;
  double count;
  CNNPLAN_HOST_DEVICE void set(int, std::uint32_t, double value) const { *loss = value / count; }
};

template <typename T>
struct LossGradient {
  Positions positions;
  Divider classes;
  const Computed<T>* probabilities;
  const std::int32_t* labels;
  Block<T> dx;
  double count;
  const StepValues* step;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [place, c] = divide(index, classes);
    const auto scale = stored<Computed<T>>(step->loss_scale / count);
    const Computed<T> target =
        static_cast<std::int32_t>(c) == labels[place] ? Computed<T>{1} : Computed<T>{0};
    dx.at(positions.at(place))[c] = static_cast<T>((probabilities[index] - target) * scale);
  }
};

struct PartialSizes {
  std::int64_t positions;
  std::uint32_t lanes;

  explicit PartialSizes(const Shape& shape)
      : positions(Positions(shape).count()), lanes(lanes_of(shape[Dim::c])) {}
  std::int64_t losses_bytes() const { return positions * bytes_of(ElementType::fp64); }
  std::int64_t partial_bytes() const {
    constexpr std::int64_t most_bytes = sizeof(Exponentials<double>);
    return positions * lanes * most_bytes;
  }
};

template <typename T>
void forward(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  cudaStream_t stream = call.stream;
  const Positions positions(spec.in);
  const PartialSizes sizes(spec.in);
  const std::int64_t classes = spec.in[Dim::c];
  const Block<const T> x(operands[Role::x]);
  auto* losses = call.workspace_as<double>();
  auto* partial = reinterpret_cast<Exponentials<Computed<T>>*>(losses + sizes.positions);
  void* rest = call.workspace_as<std::byte>() + sizes.losses_bytes() + sizes.partial_bytes();
  launch(stream,
         sizes.positions * sizes.lanes,
         ReadClasses<T>{
             positions, Divider(sizes.lanes), static_cast<std::uint32_t>(classes), x, partial});
  launch(stream,
         sizes.positions,
         MergeLanes<T>{positions,
                       sizes.lanes,
                       classes,
                       x,
                       operands[Role::labels].as<const std::int32_t>(),
                       partial,
                       losses});
  launch(stream,
         sizes.positions * classes,
         WriteProbabilities<T>{positions,
                               Divider(classes),
                               sizes.lanes,
                               x,
                               partial,
                               operands[Role::probabilities].as<Computed<T>>()});
  column_sums<double, 1, 1>(call.sums_at(rest),
                            sizes.positions,
                            1,
                            LossTerm{losses},
                            SetLoss{operands[Role::loss].as<double>(), call.constants.loss_count});
}

}  // namespace

std::int64_t softmax_workspace_bytes(const KernelSpec& spec) {
  if (spec.phase != KernelPhase::forward) return 0;
  const PartialSizes sizes(spec.in);
  return sizes.losses_bytes() + sizes.partial_bytes() + sums_workspace_bytes(1, 1);
}

void softmax_cross_entropy(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  with_kind(spec.precision, 1, [&]<typename K>(K) {
    using T = typename K::Type;
    if (spec.phase == KernelPhase::forward) {
      return forward<T>(call, operands);
    }
    const std::int64_t classes = spec.in[Dim::c];
    launch(call.stream,
           volume(spec.in),
           LossGradient<T>{Positions(spec.in),
                           Divider(classes),
                           operands[Role::probabilities].as<const Computed<T>>(),
                           operands[Role::labels].as<const std::int32_t>(),
                           Block<T>(operands[Role::dx]),
                           call.constants.loss_count,
                           call.step});
  });
}

}  // namespace cnnplan::cudnn
