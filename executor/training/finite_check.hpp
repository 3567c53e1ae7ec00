// Whether what a training made is numbers.
#pragma once

#include <cstdint>

#include "executor/comm/communicator.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Kernels of libraries may make 0 of what is no number, so that the loss stays finite. `steps`:
// that are done. Collective. @throws NotFiniteError on all ranks, naming the first tensor, where a
// weight or a running value of one of them is not finite
void require_finite(const ParameterStore& store,
                    const Network& network,
                    const Communicator& world,
                    std::int64_t steps);

}  // namespace cnnplan
