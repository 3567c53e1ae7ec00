// Checks the requests of a command line before a search or a measurement starts.
#pragma once

#include <string_view>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// @throws InputError at "--batch" when this batch of the network is too large to be planned
void check_batch(const Network& network, std::int64_t batch, int ranks);

// Returns the mesh that "--uniform" names. @pre check_batch passes
// @throws InputError at "--uniform" for a text that is no mesh, or a mesh that these ranks cannot
// run
Mesh parse_uniform(const Network& network, std::int64_t batch, int ranks, std::string_view text);

// Checks whether this number of blocks of samples can be dealt out to these ranks
// (check_sample_blocks).
// @pre check_batch passes
// @throws InputError at "--reproducible"
void check_reproducible(const Network& network, std::int64_t batch, int ranks, int blocks);

// Returns the axes that "--axes" names, such as "nhw". @throws InputError at "--axes" for other
// letters than n c d h w, for a repeated letter, and for no letters
std::vector<Axis> parse_axes(std::string_view text);

}  // namespace cnnplan
