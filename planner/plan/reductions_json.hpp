// Reads and writes which algorithm sums gradients of which size.
#pragma once

#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "planner/json/json_reader.hpp"
#include "planner/plan/sized_allreduce.hpp"

namespace cnnplan {

// Reads the key small_gradient_allreduces of a plan or of a rival. The list is empty where the key
// is missing. @throws InputError
std::vector<SizedAllreduce> read_small_allreduces(const JsonReader& reader);
// Adds the key where the list has entries.
void add_small_allreduces(const std::vector<SizedAllreduce>& allreduces,
                          nlohmann::ordered_json& json);

}  // namespace cnnplan
