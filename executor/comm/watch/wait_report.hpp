// Writes what the reporter tells the user: the first culprit, and who waits for whom.
#pragma once

#include <string>
#include <vector>

#include "executor/comm/watch/verdict.hpp"

namespace cnnplan {

// Returns ranks as text, such as "3" or "0 to 7, 9", and "-" for an empty list. The end of a long
// list is left out.
std::string ranks_text(const RankList& ranks);

// Returns a sentence about the culprit of `verdict`. `place` says where it runs, and may add what
// the system knows of its process: "node1, pid 17, is stopped". @pre a fault was found
std::string culprit_text(const WaitVerdict& verdict,
                         const RankReports& reports,
                         const std::string& place);

// Returns lines with a row for each rank: host, what it does, for whom it waits, and since when.
// `hosts` has an entry for each rank. If there are many ranks, some rows are left out.
std::string waits_table(const RankReports& reports,
                        const std::vector<std::string>& hosts,
                        const WaitVerdict& verdict);

}  // namespace cnnplan
