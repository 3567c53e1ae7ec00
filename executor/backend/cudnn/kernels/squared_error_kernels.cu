// Runs one thread per element. column_sums adds the squares of the differences.
#include "executor/backend/cudnn/kernels/column_sums.hpp"
#include "executor/backend/cudnn/kernels/squared_error_kernels.hpp"

namespace cnnplan::cudnn {
namespace {

template <typename T>
struct Subtract {
  Positions positions;
  Divider channels;
  Block<const T> x;
  const Computed<T>* targets;
  Computed<T>* differences;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [place, c] = divide(index, channels);
    differences[index] = x.at(positions.at(place))[c] - targets[index];
  }
};

template <typename Real>
struct SquaredTerm {
  const Real* differences;
  using Item = Real;
  static constexpr int batch = 4;

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t) const {}
  CNNPLAN_HOST_DEVICE Real read(std::uint32_t index) const { return differences[index]; }
  CNNPLAN_HOST_DEVICE void add(std::uint32_t, Real difference, Partial<double, 1, 1>& sums) const {
    const double wide = difference;
    sums.values[0].values[0] += wide * wide;
  }
};

struct SetMean {
  double* mean;
  double count;
  CNNPLAN_HOST_DEVICE void set(int, std::uint32_t, double sum) const { *mean = sum / count; }
};

template <typename T>
struct Gradient {
  Positions positions;
  Divider channels;
  const Computed<T>* differences;
  Block<T> dx;
  double count;
  const StepValues* step;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [place, c] = divide(index, channels);
    const auto scale = stored<Computed<T>>(2.0 * step->loss_scale / count);
    dx.at(positions.at(place))[c] = static_cast<T>(differences[index] * scale);
  }
};

}  // namespace

std::int64_t squared_error_workspace_bytes(const KernelSpec& spec) {
  if (spec.phase != KernelPhase::forward) return 0;
  return sums_workspace_bytes(1, 1);
}

void mean_squared_error(const KernelCall& call, const OperandsByRole& operands) {
  const KernelSpec& spec = call.spec;
  cudaStream_t stream = call.stream;
  const double loss_count = call.constants.loss_count;
  with_kind(spec.precision, 1, [&]<typename K>(K) {
    using T = typename K::Type;
    const Positions positions(spec.in);
    const Divider channels(spec.in[Dim::c]);
    const std::int64_t elements = volume(spec.in);
    if (spec.phase != KernelPhase::forward) {
      const auto* differences = operands[Role::differences].as<const Computed<T>>();
      const Block<T> dx(operands[Role::dx]);
      launch(stream,
             elements,
             Gradient<T>{positions, channels, differences, dx, loss_count, call.step});
      return;
    }
    auto* differences = operands[Role::differences].as<Computed<T>>();
    launch(stream,
           elements,
           Subtract<T>{positions,
                       channels,
                       Block<const T>(operands[Role::x]),
                       operands[Role::targets].as<const Computed<T>>(),
                       differences});
    column_sums<double, 1, 1>(call.sums(),
                              elements,
                              1,
                              SquaredTerm<Computed<T>>{differences},
                              SetMean{operands[Role::loss].as<double>(), loss_count});
  });
}

}  // namespace cnnplan::cudnn
