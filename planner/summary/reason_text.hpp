// Puts the reason for a plan into a sentence.
#pragma once

#include <string>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/summary/reason.hpp"

namespace cnnplan {

// Returns milliseconds with three significant digits, without the unit.
std::string ms(double seconds);
// Returns words such as "4.41 ms more", or "4.41 ms less" for a negative time.
std::string more_or_less(double seconds);
// Returns what time of this cost is spent on, such as "reducing gradients".
std::string subject(Cost cost);

// Returns the name of a data-parallel run. It names the run's ranks where they are not the plan's
// `ranks`.
std::string data_parallelism_on(int its_ranks, int ranks);
// Returns words such as "data parallelism on 8 ranks" or "the next plan (n32h2)". `ranks` are those
// of the plan.
std::string name_of_rival(const Rival& rival, int ranks);

// Returns a reason whose sentence is shorter, and adds up as before. The cost that grows most joins
// the rest. Where it already did, the sentence does not count gradients.
Reason briefer(Reason reason);

// Returns a sentence with the numbers of the reason and of its rival. `available_bytes` is the
// memory of a rank.
// @pre the reason is of a plan with these rivals on `ranks` ranks
std::string to_text(const Reason& reason,
                    const std::vector<Rival>& rivals,
                    int ranks,
                    std::int64_t available_bytes);

}  // namespace cnnplan
