// Runs forward passes under the plan's distribution; every rank counts the results of its block.
#include "executor/training/evaluation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "executor/backend/element.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

template <typename T>
std::int64_t best_class(const T* probabilities, std::int64_t classes) {
  const auto smaller = [](T a, T b) { return static_cast<double>(a) < static_cast<double>(b); };
  return std::max_element(probabilities, probabilities + classes, smaller) - probabilities;
}

// Holds sums over samples. If each rank has whole samples, the bits do not depend on which rank has
// them.
struct Sums {
  std::vector<double> of_samples;  // by place in the mini-batch
  double count = 0.0;

  double mean(const Communicator& world) {
    world.allreduce(std::span(of_samples), AllreduceAlgorithm::library);
    world.allreduce(std::span(&count, 1), AllreduceAlgorithm::library);
    return count > 0.0 ? std::accumulate(of_samples.begin(), of_samples.end(), 0.0) / count : 0.0;
  }
};

// Says which part of this rank's block of results belongs to samples below `valid`.
struct Counted {
  std::int64_t first = 0;  // the first sample that counts
  std::int64_t samples = 0;
  std::int64_t per_sample = 0;  // elements
};

Counted counted(const Box& block, std::int64_t valid) {
  if (is_empty(block)) return {};
  const Range samples = block[Dim::n];
  return {.first = samples.begin,
          .samples = std::max<std::int64_t>(0, std::min(valid, samples.end) - samples.begin),
          .per_sample = volume(block) / samples.size()};
}

// Counts positions whose most probable class is the label. Where a probability is not finite, the
// count becomes not-a-number.
template <typename T>
void add_right(const TensorView& probabilities,
               const TensorView& labels,
               std::int64_t valid,
               Sums& sums) {
  const Counted part = counted(probabilities.box, valid);
  const std::int64_t classes = probabilities.shape()[Dim::c];
  for (std::int64_t i = 0; i < part.samples * part.per_sample / classes; ++i) {
    const std::int64_t sample = part.first + i * classes / part.per_sample;
    const T* const own = probabilities.as<T>() + i * classes;
    const bool is_right = best_class(own, classes) == labels.as<std::int32_t>()[i];
    sums.of_samples[sample] += is_right ? 1.0 : 0.0;
    if (!std::all_of(own, own + classes, [](T p) { return std::isfinite(p); })) {
      sums.of_samples[sample] = std::numeric_limits<double>::quiet_NaN();
    }
    sums.count += 1.0;
  }
}

template <typename T>
void add_squares(const TensorView& differences, std::int64_t valid, Sums& sums) {
  const Counted part = counted(differences.box, valid);
  const T* element = differences.as<T>();
  for (std::int64_t i = 0; i < part.samples; ++i) {
    double& sum = sums.of_samples[part.first + i];
    for (const T* const end = element + part.per_sample; element != end; ++element) {
      const auto difference = static_cast<double>(*element);
      sum += difference * difference;
    }
  }
  sums.count += static_cast<double>(part.samples * part.per_sample);
}

}  // namespace

double evaluate(const Plan& plan,
                Backend& backend,
                ParameterStore& parameters,
                Groups& groups,
                DataSource& data) {
  const int rank = groups.world().rank();
  const LayerIndex loss = plan.network.loss_layer();
  const Schedule schedule = lower(plan, rank, {.pass = Pass::inference});
  StepRunner runner(
      schedule, {.backend = &backend, .parameters = &parameters, .groups = &groups, .data = &data});
  const Operand& output = schedule.outputs[loss];
  const Box& label_box = schedule.buffers[schedule.labels].box;
  const TensorView labels = runner.memory().host_view(schedule.labels, label_box);
  const Mesh& mesh = plan.layers[loss].mesh;
  const bool counts_for_replicas = mesh.coordinate(rank, Axis::r) == 0;
  Sums sums{.of_samples = std::vector<double>(plan.batch)};
  for (std::int64_t step = 0; step < data.step_count(); ++step) {
    runner.run({.step = step, .training = false}, Timing::step);
    if (!counts_for_replicas) continue;
    const std::int64_t valid = data.valid_count(step);
    const HostBlock result = runner.memory().read(output);
    with_type_of(parameter_element(plan.precision), [&]<typename T>(T) {
      has_targets(plan.network) ? add_squares<T>(result.view, valid, sums)
                                : add_right<T>(result.view, labels, valid, sums);
    });
  }
  return sums.mean(groups.world());
}

}  // namespace cnnplan
