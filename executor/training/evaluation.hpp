// How good outputs are on data that was not trained on.
#pragma once

#include "executor/data/data_source.hpp"
#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"

namespace cnnplan {

// Fraction of positions whose most probable class is the label, or the mean squared error where the
// network has targets, over one pass of `data`. Batch norm uses running values, dropout passes
// through. Collective.
double evaluate(const Plan& plan,
                Backend& backend,
                ParameterStore& parameters,
                Groups& groups,
                DataSource& data);

}  // namespace cnnplan
