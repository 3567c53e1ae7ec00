// Checks the requests of a command line before a search or a measurement starts.
#pragma once

#include <string_view>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Checks the global mini-batch of a plan for `ranks` ranks.
// @throws InputError at "--batch" when the batch exceeds the range of plan files, or when the
// outputs of all layers have too many elements together
void check_batch(const Network& network, std::int64_t batch, int ranks);

// Returns the mesh that "--uniform" names. @pre check_batch passes
// @throws InputError at "--uniform" for a text that is no mesh, or a mesh with which a plan for
// these ranks is not valid
Mesh parse_uniform(const Network& network, std::int64_t batch, int ranks, std::string_view text);

// Checks whether the mini-batch can be cut into `blocks` blocks of samples that the ranks share out
// evenly (check_sample_blocks).
// @pre check_batch passes
// @throws InputError at "--reproducible"
void check_reproducible(const Network& network, std::int64_t batch, int ranks, int blocks);

// Returns the axes that "--axes" names, such as "nhw". @throws InputError at "--axes" for other
// letters than n c d h w, for a repeated letter, and for no letters
std::vector<Axis> parse_axes(std::string_view text);

}  // namespace cnnplan
