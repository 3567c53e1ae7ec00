// Reads and writes networks inside other documents. A plan, for example, contains its network.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// @throws InputError, with pointers below the pointer of `root`
Network network_from_json(const JsonReader& root);
// Appends "name" and "layers".
void add_network(nlohmann::ordered_json& document, const Network& network);

// Read and return a network with its "schema", as a value of another document.
Network read_embedded_network(const JsonReader& reader);
nlohmann::ordered_json embedded_network(const Network& network);

}  // namespace cnnplan
