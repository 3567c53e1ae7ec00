// Finds the names that are spelled most like a wrong one.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cnnplan {

// Returns the least number of edits that turn `a` into `b`. An edit changes, leaves out or inserts
// a letter, or exchanges it with the next one (Damerau 1964).
std::size_t edit_distance(std::string_view a, std::string_view b);

// Returns the `most` names with the least edit_distance to `name`, or all names if there are fewer.
// The most similar one comes first.
std::vector<std::string> most_similar(std::string_view name,
                                      const std::vector<std::string>& names,
                                      std::size_t most);

// Returns "; did you mean NAME?" for the most similar name. The text is empty if none is similar:
// at most a third of the letters may differ, or one letter of a name with fewer than six.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& names);

}  // namespace cnnplan
