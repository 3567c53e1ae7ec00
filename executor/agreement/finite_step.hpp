// Checks that a step is finite before its updates, and finds where it was not.
#pragma once

#include <string>

#include "executor/comm/communicator.hpp"
#include "executor/step/parameter_store.hpp"
#include "executor/step/step_runner.hpp"
#include "planner/base/error.hpp"
#include "planner/network/network.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Says that the loss or a gradient of a step is not finite, on this rank or another one. It is
// thrown before anything is updated. `loss` is the loss on this rank.
class NotFiniteStep : public NotFiniteError {
 public:
  explicit NotFiniteStep(double loss)
      : NotFiniteError("a loss or gradient is not finite"), loss_(loss) {}
  double loss() const { return loss_; }

 private:
  double loss_;
};

// Looks at the loss and at the gradients, and lets all ranks agree. Ranks whose gradients were
// summed hold the same sums, so each of them reads an equal share. Call it when the sums of the
// gradients are finished. It is collective over `world`, and blocks.
// @pre `store` was made for `schedule`
// @throws NotFiniteStep on all ranks if one rank finds a number that is not finite
void require_finite_step(double loss,
                         const Schedule& schedule,
                         const ParameterStore& store,
                         const Communicator& world);

// Refers to what a step works on. @pre `store` was made for `schedule`
struct CheckedStep {
  const Schedule& schedule;
  const Network& network;
  const ParameterStore& store;
};

// Runs the step again, from the present parameters and without updates; only running values change.
// It looks at the results of every kernel, load and collective except reduce_scatter. All ranks get
// the same text, which names the first tensor that is not finite, with the layer and the rank.
// Parameters count as the first tensors. If all tensors are finite this time, the text says so. It
// is collective over `world`, and blocks. @pre `runner` runs the schedule of `step`
// @throws as StepRunner::run_one_by_one()
std::string first_not_finite(const CheckedStep& step,
                             StepRunner& runner,
                             const StepState& state,
                             const Communicator& world);

}  // namespace cnnplan
