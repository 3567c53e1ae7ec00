// The list of input files, with digests, that a document was made from.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/model/input_file.hpp"
#include "planner/model/json_reader.hpp"

namespace cnnplan {

// "inputs" of a document; empty where it has none.
std::vector<InputFile> read_input_files(const JsonReader& root);
nlohmann::ordered_json to_ordered_json(const std::vector<InputFile>& inputs);

}  // namespace cnnplan
