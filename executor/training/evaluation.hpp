// Measures the outputs of a network on data that it was not trained on.
#pragma once

#include "executor/data/data_source.hpp"
#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"

namespace cnnplan {

// Makes one pass over `data`. Returns the fraction of positions whose most probable class is the
// label, or the mean squared error if the network has targets. Without samples, it returns 0. Where
// an output is not finite, the result is not finite either. All ranks get equal results. Batch
// norms use running values, and dropout passes its input through. It builds a runner for this pass
// only. This call is collective over groups.world() and blocks.
// @pre `parameters` belong to `plan`, and are whole after a sharded update
// @throws as the constructor of StepRunner and StepRunner::run()
double evaluate(const Plan& plan,
                Backend& backend,
                ParameterStore& parameters,
                Groups& groups,
                DataSource& data);

}  // namespace cnnplan
