// Checks that the parts of a checkpoint are the files that were written.
#pragma once

#include <string>

#include "planner/run/checkpoint.hpp"

namespace cnnplan {

// Compares the size and the digest of a part's file with the values in `part`. The file lies in the
// folder of `checkpoint_file`.
// @throws InputError that names a part which is missing, differs or is no regular file; IoError
void check_part(const std::string& checkpoint_file, const CheckpointPart& part);

}  // namespace cnnplan
