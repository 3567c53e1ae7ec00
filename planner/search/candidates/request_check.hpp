// Checks of what a command line asks for, before anything is searched or timed.
#pragma once

#include <string_view>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// @throws InputError at "--batch" when this batch of the network is too large to be planned
void check_batch(const Network& network, std::int64_t batch, int ranks);

// What "--uniform" names. @pre check_batch passes
// @throws InputError at "--uniform" for what is no mesh, or none that these ranks can run
Mesh parse_uniform(const Network& network, std::int64_t batch, int ranks, std::string_view text);

// Whether samples in so many blocks can be dealt out to these ranks, as check_sample_blocks.
// @pre check_batch passes
// @throws InputError at "--reproducible"
void check_reproducible(const Network& network, std::int64_t batch, int ranks, int blocks);

// What "--axes" names: "nhw". @throws InputError at "--axes" for other letters than n c d h w, for
// one that is there twice, and where there is none
std::vector<Axis> parse_axes(std::string_view text);

}  // namespace cnnplan
