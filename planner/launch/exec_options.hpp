// Checks the options of cnnexec that cnnplan launch passes on, before a job waits in a queue.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Returns a message about the first of these words that cnnexec would refuse: an unknown option, an
// option without its value, or a word that belongs to no option. It returns an empty text if there
// is none. It does not check values.
std::string problem_of_exec_words(const std::vector<std::string>& words);

}  // namespace cnnplan
