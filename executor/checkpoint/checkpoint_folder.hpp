// Names the files of a checkpoint: checkpoint.json, which describes it, and one part of each rank.
#pragma once

#include <cstdint>
#include <string>

namespace cnnplan {

// Returns the path of the checkpoint file: "folder/checkpoint.json".
std::string checkpoint_file(const std::string& folder);
// Returns the name of a rank's part without folders: "part-3-0.bin" for generation 3 and rank 0.
std::string part_name(std::int64_t generation, int rank);
// Makes the folder if it does not exist. @throws IoError unless files can be made in it
void require_folder(const std::string& folder);
// Removes all parts of other generations, and files of checkpoints that were not written
// completely. Files that cannot be removed stay, without an error.
void remove_other_parts(const std::string& folder, std::int64_t generation);

}  // namespace cnnplan
