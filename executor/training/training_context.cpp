// Computes loss scales, states of steps and the number of steps from the options of a training.
#include "executor/training/training_context.hpp"

#include "planner/base/checked.hpp"

namespace cnnplan {

double loss_scale_of(const TrainingOptions& options, Precision precision) {
  constexpr double automatic = 1024.0;
  if (options.loss_scale > 0.0) return options.loss_scale;
  return precision == Precision::fp16 ? automatic : 1.0;
}

StepState state_of(std::int64_t step, const TrainingOptions& options, Precision precision) {
  return {.seed = options.seed,
          .step = step,
          .learning_rate = options.learning_rate,
          .momentum = options.momentum,
          .weight_decay = options.weight_decay,
          .loss_scale = loss_scale_of(options, precision)};
}

std::int64_t step_count(const TrainingOptions& options, std::int64_t steps_per_pass) {
  return options.epochs > 0 ? checked_multiply(options.epochs, steps_per_pass) : options.steps;
}

}  // namespace cnnplan
