// Compares what must be equal on all ranks: options, versions, and contents of files.
#pragma once

#include <string>
#include <vector>

#include "executor/comm/communicator.hpp"

namespace cnnplan {

// Says that something has a value on this rank. The name is what a user knows it by: an option, or
// "the version of the program".
struct Fact {
  std::string name;
  std::string value;  // empty: the option is not given
};

// Compares the facts of all ranks. If they are equal, ranks exchange a digest of one size. Else a
// second exchange finds the first fact that differs. Facts that only some ranks have differ, too,
// and so does another order of facts. This call is collective and blocks.
// @throws EnvironmentError on all ranks when a fact differs; it names the fact, and each value with
// its ranks
void require_equal_facts(const std::vector<Fact>& facts, const Communicator& world);

// Returns ranks as a user reads them: "rank 3", "ranks 0, 2 to 5, 9". @pre `ranks` are in ascending
// order, and there is one at least
std::string named_ranks(const std::vector<int>& ranks);

}  // namespace cnnplan
