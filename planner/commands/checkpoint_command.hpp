// Checks a checkpoint as a whole, for cnnplan check.
#pragma once

#include <string>

namespace cnnplan {

// Checks a whole checkpoint: the `text` of its `file`, the digests of the files next to it, and
// their values. The checkpoint must have the state of its network, and nothing else.
// @throws InputError, IoError
void check_checkpoint(const std::string& text, const std::string& file);

}  // namespace cnnplan
