// Compares what must be equal on all ranks: options, versions, and contents of files.
#pragma once

#include <string>
#include <vector>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Says that something has a value on this rank.
struct Fact {
  std::string name;   // as a user knows it: an option, or "the version of the program"
  std::string value;  // empty: the option is not given
};

// Compares the facts of all ranks. Ranks exchange digests of their facts, and their facts only if
// the digests differ. Facts that only some ranks have count as different, and so does another order
// of facts. This call is collective over `world`, and blocks.
// @throws EnvironmentError on rank 0, and an Error with its exit code and message on other ranks,
// when a fact differs; it names the first such fact, and each value with its ranks
void require_equal_facts(const std::vector<Fact>& facts, const Communicator& world);

// Returns ranks as a user reads them: "rank 3", "ranks 0, 2 to 5, 9". @pre `ranks` are in ascending
// order, and there is one at least
std::string named_ranks(const std::vector<int>& ranks);

}  // namespace cnnplan
