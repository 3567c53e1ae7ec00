// Writes JSON as text, with keys in a fixed order and the shortest numbers that round-trip.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cnnplan {

// Keeps keys in the order in which they were added.
using OrderedJson = nlohmann::ordered_json;

// Returns {"schema": "cnnplan.<kind>/<newest number>", "generator": "cnnplan <version>"}.
OrderedJson new_document(std::string_view kind);

// The text is indented by two spaces. Values that fit into 100 columns stay on one line, except the
// outermost value.
// @throws NotFiniteError (with the JSON pointer) for NaN and infinity, which JSON cannot hold
std::string write_json(const OrderedJson& document);
// The text is one line with its end, for files with an object in every line. Throws as write_json.
std::string write_json_line(const OrderedJson& object);

}  // namespace cnnplan
