// The files of a checkpoint: checkpoint.json, which is the checkpoint, and one part of each rank.
#pragma once

#include <cstdint>
#include <string>

namespace cnnplan {

std::string checkpoint_file(const std::string& folder);
// Without folders: "part-3-0.bin".
std::string part_name(std::int64_t generation, int rank);
// Makes the folder where it is not there. @throws IoError unless files can be made in it
void require_folder(const std::string& folder);
// All parts of other generations, and what was not written to its end. What cannot be removed
// stays.
void remove_other_parts(const std::string& folder, std::int64_t generation);

}  // namespace cnnplan
