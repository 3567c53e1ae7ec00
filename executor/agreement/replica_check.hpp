// Compares parameters and momentum of ranks that hold the same ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "executor/step/groups.hpp"
#include "executor/step/parameter_store.hpp"
#include "planner/plan/plan.hpp"
#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Names what is compared, after `steps` steps. The schedule is the one that the store was made for.
struct Replicas {
  const Plan& plan;
  const Schedule& schedule;
  const ParameterStore& store;
  Groups& groups;
};

// Compares hashes of weights and momentum between ranks that have the same slice, bit by bit.
// Running values of batch norms are left out, because ranks may normalise over their own samples. A
// sharded update keeps nothing twice, so there is nothing to compare. It reads every parameter
// once, and is collective over all ranks.
// @throws Error (wrong_result) on all ranks when two ranks of a group differ; it names the first
// tensor, its ranks, and `steps`
void require_equal_replicas(const Replicas& replicas, std::int64_t steps);

// Returns a hash in which every bit of `bytes` counts. It is no digest against intent.
std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace cnnplan
