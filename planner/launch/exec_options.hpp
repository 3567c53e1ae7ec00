// Checks the options of cnnexec that cnnplan launch passes on, before a job waits in a queue.
#pragma once

#include <string>
#include <vector>

namespace cnnplan {

// Returns a message about the first of these words that cnnexec would refuse: an unknown option, an
// option without its value, or a word that belongs to no option. It returns an empty text if there
// is none. It does not check values.
std::string problem_of_exec_words(const std::vector<std::string>& words);

// True if one of the words is the option, as in "--data train.h5" or "--data=train.h5".
bool has_option(const std::vector<std::string>& words, const std::string& name);
// True if cnnexec trains with these options, so that it has a state.
bool trains(const std::vector<std::string>& words);

}  // namespace cnnplan
