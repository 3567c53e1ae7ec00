// Checks that weights and running values of a training are finite numbers.
#pragma once

#include <cstdint>

#include "executor/comm/communicator.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Checks all weights and running values, because kernels of libraries may turn NaN into 0, so that
// the loss alone does not show it. `steps` counts the steps that are done, for the message. This
// call is collective and blocks. @pre weights are whole after a sharded update
// @throws NotFiniteError on all ranks when a weight or running value of any rank is not finite; it
// names the first such tensor
void require_finite(const ParameterStore& store,
                    const Network& network,
                    const Communicator& world,
                    std::int64_t steps);

}  // namespace cnnplan
