// Reads and writes the list of input files from which a document was made, with their digests.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/base/input_file.hpp"
#include "planner/json/json_reader.hpp"

namespace cnnplan {

// Returns a SHA-256 in lower-case hexadecimal digits. @throws InputError for other values
std::string read_digest(const JsonReader& reader);
// Reads the key "inputs" of a document. The list is empty if the key is missing.
// @throws InputError
std::vector<InputFile> read_input_files(const JsonReader& root);
// Returns the value of the key "inputs": a list with an object for each file.
nlohmann::ordered_json to_ordered_json(const std::vector<InputFile>& inputs);

}  // namespace cnnplan
