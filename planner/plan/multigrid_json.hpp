// Reads and writes the list of chains that a plan runs by multigrid.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/network/multigrid.hpp"
#include "planner/network/network.hpp"

namespace cnnplan {

// Reads "multigrid" of a plan. The list is empty where the key is missing. check_multigrid checks
// the chains.
// @throws InputError for layers that the network lacks, unknown keys, and values out of range
std::vector<Multigrid> read_multigrid(const JsonReader& root, const Network& network);
// Returns the value of the key "multigrid". Layers of chains are written by their names.
nlohmann::ordered_json to_ordered_json(const std::vector<Multigrid>& chains,
                                       const Network& network);

}  // namespace cnnplan
