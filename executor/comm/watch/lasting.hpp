// Keeps texts and lists of ranks until the program ends, so that a watching thread may read them.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

using RankList = std::vector<int>;  // ranks of the whole program, in ascending order

// These functions return an equal value that lives until the program ends. Equal values are kept
// once. The calls take a lock and may allocate, so they belong to set-up.
const std::string& lasting(const std::string& text);
const RankList& lasting(const RankList& ranks);

}  // namespace cnnplan
