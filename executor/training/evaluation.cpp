// Forward passes under the plan's own distribution; every rank counts its block.
#include "executor/training/evaluation.hpp"

#include <algorithm>
#include <array>

#include "executor/backend/element.hpp"
#include "executor/training/step_runner.hpp"
#include "planner/model/distribution.hpp"

namespace cnnplan {
namespace {

template <typename T>
std::int64_t best_class(const T* probabilities, std::int64_t classes) {
  const auto smaller = [](T a, T b) { return static_cast<double>(a) < static_cast<double>(b); };
  return std::max_element(probabilities, probabilities + classes, smaller) - probabilities;
}

// Positions of this rank's block, of samples below `valid`: {right, all}.
template <typename T>
std::array<double, 2> count(const TensorView& probabilities,
                            const TensorView& labels,
                            std::int64_t valid) {
  std::array<double, 2> counts{};
  const Shape shape = probabilities.shape();
  const std::int64_t classes = shape[Dim::c];
  if (is_empty(probabilities.box)) return counts;
  const std::int64_t positions = volume(shape) / classes;
  const std::int64_t per_sample = positions / shape[Dim::n];
  for (std::int64_t i = 0; i < positions; ++i) {
    if (probabilities.box[Dim::n].begin + i / per_sample >= valid) break;
    const std::int64_t best = best_class(probabilities.as<T>() + i * classes, classes);
    counts[0] += best == labels.as<std::int32_t>()[i] ? 1.0 : 0.0;
    counts[1] += 1.0;
  }
  return counts;
}

// Of the elements of this rank's block, of samples below `valid`: {sum of squares, all}.
template <typename T>
std::array<double, 2> add_squares(const TensorView& differences, std::int64_t valid) {
  std::array<double, 2> sums{};
  if (is_empty(differences.box)) return sums;
  const std::int64_t samples = std::min(valid, differences.box[Dim::n].end);
  const std::int64_t count = std::max<std::int64_t>(0, samples - differences.box[Dim::n].begin) *
                             (volume(differences.box) / differences.box[Dim::n].size());
  for (std::int64_t i = 0; i < count; ++i) {
    const auto difference = static_cast<double>(differences.as<T>()[i]);
    sums[0] += difference * difference;
  }
  sums[1] = static_cast<double>(count);
  return sums;
}

}  // namespace

double evaluate(const Plan& plan,
                Backend& backend,
                ParameterStore& parameters,
                Groups& groups,
                DataSource& data) {
  const int rank = groups.world().rank();
  const LayerIndex loss = plan.network.loss_layer();
  const Schedule schedule = lower_inference(plan, rank);
  StepRunner runner(
      schedule, {.backend = &backend, .parameters = &parameters, .groups = &groups, .data = &data});
  const Operand& output = schedule.outputs[static_cast<std::size_t>(loss)];
  const Box& label_box = schedule.buffers[static_cast<std::size_t>(schedule.labels)].box;
  const TensorView labels = runner.memory().host_view(schedule.labels, label_box);
  const Mesh& mesh = plan.layers[static_cast<std::size_t>(loss)].mesh;
  const bool counts_for_replicas = mesh.coordinate(rank, Axis::r) == 0;
  std::array<double, 2> total{};
  for (std::int64_t step = 0; step < data.step_count(); ++step) {
    runner.run({.step = step, .training = false}, Timing::step);
    if (!counts_for_replicas) continue;
    const std::int64_t valid = data.valid_count(step);
    const HostBlock result = runner.memory().read(output);
    const auto counts = with_type_of(parameter_element(plan.precision), [&]<typename T>(T) {
      return has_targets(plan.network) ? add_squares<T>(result.view, valid)
                                       : count<T>(result.view, labels, valid);
    });
    total[0] += counts[0];
    total[1] += counts[1];
  }
  groups.world().allreduce(std::span<double>(total), AllreduceAlgorithm::library);
  return total[1] > 0.0 ? total[0] / total[1] : 0.0;
}

}  // namespace cnnplan
