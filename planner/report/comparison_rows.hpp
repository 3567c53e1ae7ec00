// Puts parts of a comparison into the words and numbers that all its formats share.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/report/compare.hpp"

namespace cnnplan {

// Sorts by the difference of predicted and measured seconds, the largest first.
std::vector<ComparedTime> most_off_first(std::vector<ComparedTime> groups);

// Returns the time of the step outside of its parts. It is below 0 where operations overlap.
ComparedTime rest_of(const ComparedTime& step, const std::vector<ComparedTime>& parts);
// True unless operations overlap, so that a rest means nothing.
bool means_something(const ComparedTime& rest);

// Says by how much the rest of the step is off, if it is off by more than any group, without a full
// stop. Else the text is empty. It is also empty where the likely reason names the rest, and where
// operations overlap, so that the rest means nothing.
std::string rest_text(const Comparison& comparison);

// Returns the predicted less the measured time as a share of the measured one, in percent without
// the unit: "-20.0". It is "-" if nothing was measured.
std::string signed_error(const ComparedTime& time);

// Returns "7 steps measured, 112.500 ms to 137.500 ms".
std::string spread_text(const Measured& step);

// Returns "2 ranks, batch 4".
std::string size_text(const Comparison& comparison);

// Says when and where a run was made, by which processor and commit: "2026-11-29T14:17:10Z, host
// ci-7, AMD EPYC, commit 779a21c61b5e". What the run file lacks is left out.
std::string origin_text(const std::map<std::string, std::string>& environment);

}  // namespace cnnplan
