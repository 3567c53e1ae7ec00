// Checks a checkpoint as a whole, for cnnplan check.
#pragma once

#include <string>

namespace cnnplan {

// Checks the text of a checkpoint file, the digests of its parts, that it has exactly the state of
// its network, and the values.
// @throws InputError, IoError
void check_checkpoint(const std::string& text, const std::string& file);

}  // namespace cnnplan
