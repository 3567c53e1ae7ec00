// JSON to text: fixed key order, shortest numbers that round-trip, short values on one line.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace cnnplan {

// Keeps keys in the order in which they were added.
using OrderedJson = nlohmann::ordered_json;

// {"schema": "cnnplan.<kind>/1", "generator": "cnnplan <version>"}
OrderedJson new_document(std::string_view kind);

// Indented by two spaces; what fits into 100 columns stays on one line, except the outermost value.
// @throws NotFiniteError (with the JSON pointer) for NaN and infinity, which JSON cannot hold
std::string write_json(const OrderedJson& document);

}  // namespace cnnplan
