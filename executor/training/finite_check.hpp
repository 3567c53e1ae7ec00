// Checks that weights and running values of a training are finite numbers.
#pragma once

#include <cstdint>

#include "executor/comm/communicator.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Library kernels may turn NaN into 0, so the loss alone does not show it. `steps` counts the steps
// done. Weights must be whole after a sharded update. This call is collective and blocks.
// @throws NotFiniteError on all ranks when a weight or running value of any rank is not finite; it
// names the first such tensor
void require_finite(const ParameterStore& store,
                    const Network& network,
                    const Communicator& world,
                    std::int64_t steps);

}  // namespace cnnplan
