// The memory that the ranks of a node share.
#pragma once

#include <cstdint>
#include <string>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Ranks that share a device where most do: a GPU, or the processors of a node. The same on all
// ranks. Collective, blocking.
int most_ranks_on_a_device(const Communicator& world, const Device& device);

// Physical bytes of the smallest node, or of the smallest device with memory of its own, over the
// ranks that share it where most do. The same on all ranks. Collective, blocking.
std::int64_t memory_of_rank(const Communicator& world, const Device& device);

// For use before anything is allocated. `what` says in a message what needs the memory. Collective.
// @throws InfeasibleError on all ranks when one of them needs more than memory_of_rank
void require_memory(std::int64_t own_bytes,
                    const std::string& what,
                    const Communicator& world,
                    const Device& device);

}  // namespace cnnplan
