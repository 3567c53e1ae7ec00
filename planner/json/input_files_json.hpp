// The list of input files, with digests, that a document was made from.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/base/input_file.hpp"
#include "planner/json/json_reader.hpp"

namespace cnnplan {

// Lower-case hex of a SHA-256.
std::string read_digest(const JsonReader& reader);
// "inputs" of a document; empty where it has none.
std::vector<InputFile> read_input_files(const JsonReader& root);
nlohmann::ordered_json to_ordered_json(const std::vector<InputFile>& inputs);

}  // namespace cnnplan
