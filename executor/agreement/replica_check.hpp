// Compares parameters and momentum of ranks that hold the same ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"
#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// True if kernels give the same bits on all ranks: on hosts of one kind with equal numbers of
// threads, and on GPUs of one kind if `deterministic`, which is BackendOptions::deterministic. All
// ranks get the same result. This call is collective over `world`, and blocks.
bool give_equal_bits(Backend& backend, bool deterministic, const Communicator& world);

// Refers to what is compared. @pre `store` was made for `schedule`, a schedule of `plan`
struct Replicas {
  const Plan& plan;
  const Schedule& schedule;
  const ParameterStore& store;
  Groups& groups;
  bool with_repeated_work = true;  // compare ranks that differ along an axis r, too
};

// Compares hashes of weights and momentum between ranks that have the same slice, bit by bit. Ranks
// along r compute their gradients on their own, so they are compared only if kernels give equal
// bits. Running values of batch norms are left out, because ranks may normalise over their own
// samples. A sharded update keeps nothing twice, so there is nothing to compare. The check reads
// every parameter once. It is collective over all ranks, and blocks. `steps` is the number of steps
// that are done.
// @throws Error (wrong_result) on all ranks when two ranks of a group differ; it names the first
// tensor, its ranks, and `steps`
void require_equal_replicas(const Replicas& replicas, std::int64_t steps);

// Returns a hash in which every bit of `bytes` counts. It is not cryptographic.
std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace cnnplan
