// Runs one step without updates, and computes norms over ranks.
#include "executor/training/gradient_check.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <stdexcept>

#include "executor/backend/element.hpp"
#include "executor/step/gather_shards.hpp"
#include "executor/step/slices.hpp"
#include "executor/training/raise_cycles.hpp"

namespace cnnplan {
namespace {

// Steps change running values even without updates, so this class keeps and restores them.
class KeptRunningValues {
 public:
  KeptRunningValues(ParameterStore& store, const Network& network) : store_(store) {
    for (const LayerIndex layer : network.layers().indices()) {
      if (!std::holds_alternative<BatchNorm>(network.layer(layer).parameters)) continue;
      for (const bool variance : {false, true}) {
        kept_.push_back({layer, variance, store.running().values(layer, variance)});
      }
    }
  }
  void restore() const {
    for (const Kept& kept : kept_) {
      store_.running().set(kept.layer, kept.variance, kept.values);
    }
  }

 private:
  struct Kept {
    LayerIndex layer;
    bool variance;
    std::vector<double> values;
  };
  ParameterStore& store_;
  std::vector<Kept> kept_;
};

void require_same_slots(const Schedule& schedule, const ParameterStore& store) {
  const auto is_same = [](const ParameterSlot& a, const ParameterSlot& b) {
    return a.layer == b.layer && a.role == b.role && a.box == b.box;
  };
  const bool are_same = std::equal(schedule.slots.begin(),
                                   schedule.slots.end(),
                                   store.slots().begin(),
                                   store.slots().end(),
                                   is_same);
  if (!are_same) throw std::logic_error("a plan's slots are not those of the parameters");
}

bool is_first_with_slice(const Plan& plan, const ParameterSlot& slot, int rank) {
  const Mesh& mesh = plan.layers[slot.layer].mesh;
  return ranks_with_slice(mesh, rank).front() == rank;
}

std::vector<double> counted_values(const Plan& plan, const ParameterStore& store, int rank) {
  std::vector<double> values;
  for (const SlotIndex i : store.slots().indices()) {
    if (!is_first_with_slice(plan, store.slots()[i], rank)) continue;
    const std::vector<double> slice = store.plain(ParameterArena::gradients, i);
    values.insert(values.end(), slice.begin(), slice.end());
  }
  return values;
}

template <typename T>
double sum_of_squares(const TensorView& view) {
  const T* values = view.as<T>();
  return std::accumulate(values, values + volume(view.box), 0.0, [](double sum, T value) {
    return sum + static_cast<double>(value) * static_cast<double>(value);
  });
}

// Residual blocks are dense, so their elements are read one after the other.
std::array<std::vector<double>, 2> residual_squares(const Plan& plan,
                                                    const Schedule& schedule,
                                                    const StepRunner& runner) {
  std::array<std::vector<double>, 2> squares;
  const int most = most_cycles(plan);
  for (auto& pass : squares) pass.resize(most + 1);
  for (const PointResidual& residual : schedule.residuals) {
    const HostBlock block = runner.memory().read(residual.operand);
    const double own = with_type_of(activation_element(plan.precision),
                                    [&]<typename T>(T) { return sum_of_squares<T>(block.view); });
    const int end = residual.last ? most + 1 : residual.cycles + 1;
    for (int cycles = residual.cycles; cycles < end; ++cycles) {
      squares[residual.backward ? 1 : 0][cycles] += own;
    }
  }
  return squares;
}

double relative(double difference, double reference) {
  return difference == 0.0 ? 0.0 : difference / reference;
}

}  // namespace

Plan serial_plan(const Plan& plan) {
  Plan serial = plan;
  serial.multigrid.clear();
  return serial;
}

Gradient gradient_under(const Plan& plan, const StepContext& context, const StepState& state) {
  const int rank = context.groups->world().rank();
  const Schedule schedule = lower(plan, rank, {.residuals = true});
  require_same_slots(schedule, *context.parameters);
  StepContext without_updates = context;
  without_updates.updates = false;
  without_updates.loads_ahead = nullptr;  // It runs one step.
  StepRunner runner(schedule, without_updates);
  const KeptRunningValues running_values(*context.parameters, plan.network);
  runner.run(state, Timing::step);
  running_values.restore();
  gather_gradients({.schedule = schedule, .store = *context.parameters, .groups = *context.groups});
  Gradient gradient{.values = counted_values(plan, *context.parameters, rank),
                    .loss = runner.loss(),
                    .residual_squares = residual_squares(plan, schedule, runner)};
  for (double& squares : gradient.residual_squares[1]) {
    squares /= state.loss_scale * state.loss_scale;
  }
  return gradient;
}

std::vector<double> norms(std::vector<double> squares, const Communicator& world) {
  world.allreduce(std::span<double>(squares), AllreduceAlgorithm::library);
  for (double& value : squares) value = std::sqrt(value);
  return squares;
}

GradientDifference difference(const Gradient& gradient,
                              const Gradient& serial,
                              const Communicator& world) {
  std::array<double, 4> sums{};
  auto& [products, squares, serial_squares, difference_squares] = sums;
  for (std::size_t i = 0; i < serial.values.size(); ++i) {
    const double own = gradient.values.at(i);
    const double expected = serial.values[i];
    products += own * expected;
    squares += own * own;
    serial_squares += expected * expected;
    difference_squares += (own - expected) * (own - expected);
  }
  world.allreduce(std::span<double>(sums), AllreduceAlgorithm::library);
  // Rounding may take the cosine beyond 1.
  const double cosine = products / (std::sqrt(squares) * std::sqrt(serial_squares));
  return {.cosine = difference_squares == 0.0 ? 1.0 : std::clamp(cosine, -1.0, 1.0),
          .relative_error = relative(std::sqrt(difference_squares), std::sqrt(serial_squares)),
          .relative_loss_error =
              relative(std::abs(gradient.loss - serial.loss), std::abs(serial.loss))};
}

}  // namespace cnnplan
