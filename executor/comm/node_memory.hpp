// Tells what the ranks that share a node or a GPU have of it: how much memory each may use, and
// whether they take turns.
#pragma once

#include <cstdint>
#include <string>

#include "executor/backend/device.hpp"
#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Returns how many ranks share the device (a GPU, or the processors of a node) that has the most
// ranks. All ranks get equal results. This call is collective and blocks.
int most_ranks_on_a_device(const Communicator& world, const Device& device);

// True if ranks share a GPU without MPS. They then take turns on it by slices of time, so their
// times say nothing about its speed. All ranks get equal results. This call is collective and
// blocks.
bool take_turns(const Communicator& world, const Device& device);

// Returns the bytes that each rank may use: those of the smallest node, or of the smallest device
// with its own memory, divided by most_ranks_on_a_device(). A node counts with at most the limit of
// the control group (version 2) of its processes. All ranks get equal results. This call is
// collective and blocks.
std::int64_t memory_of_rank(const Communicator& world, const Device& device);

// Checks that the memory suffices for the `own_bytes` of every rank, before anything is allocated.
// `what` says in the message who needs the memory. This call is collective and blocks.
// @throws InfeasibleError on all ranks when one of them needs more than memory_of_rank
void require_memory(std::int64_t own_bytes,
                    const std::string& what,
                    const Communicator& world,
                    const Device& device);

}  // namespace cnnplan
