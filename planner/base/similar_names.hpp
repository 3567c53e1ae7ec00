// Finds the names that are spelled most like a wrong one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cnnplan {

// Returns the number of letters to change, leave out, insert, or exchange with the next letter
// (Damerau 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns at most `most` of the names, beginning with the most similar one.
std::vector<std::string> most_similar(std::string_view name,
                                      const std::vector<std::string>& names,
                                      std::size_t most);

// Returns "; did you mean NAME?" for the most similar name. The text is empty if none is similar:
// at most a third of the letters may differ, or one letter of a name with fewer than six.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);

}  // namespace cnnplan
