// Reads and writes networks inside other documents. A plan, for example, contains its network.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Reads the keys "name" and "layers" of an object.
// @throws InputError, with pointers below the pointer of `root`
Network network_from_json(const JsonReader& root);
// Appends the keys "name" and "layers" to an object.
void add_network(nlohmann::ordered_json& document, const Network& network);

// Reads a network that is a value of another document, with a "schema" of its own.
// @throws InputError
Network read_embedded_network(const JsonReader& reader);
// Returns the network with a "schema" of its own, as a value of another document.
nlohmann::ordered_json embedded_network(const Network& network);

}  // namespace cnnplan
