// Counts the values that batch norms normalise together. One value alone becomes 0 in training,
// whatever it is, and no gradient passes it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Returns how many values of a channel are normalised together in training. Where ranks have
// different numbers, it is the smallest. Ranks without a part of the output do not count.
// @pre the layer is a batch norm
std::int64_t least_normalised_values(const Plan& plan, LayerIndex layer);

// Returns the first batch norm that normalises one value alone on some rank, if there is one.
std::optional<LayerIndex> single_value_norm(const Plan& plan);

// Returns the problem that the batch norm `layer` normalises a single value, for a message. Its
// `allowed` names an option of cnnplan solve that helps.
InputProblem single_value_problem(const Plan& plan, LayerIndex layer, const std::string& file);

// Returns a sentence on the first batch norm that normalises two values alone on some rank, with an
// option of cnnplan solve that helps. The text is empty if there is no such batch norm. Two values
// become about -1 and 1 whatever they are. The gradient is large where they are nearly equal, and
// grows from norm to norm, so a training may not stay finite.
std::string two_values_note(const Plan& plan);

// Requires that no batch norm of the plan normalises a single value, since it would not train.
// @throws InputError with the single_value_problem of the first such batch norm
void require_trainable(const Plan& plan, const std::string& file);

}  // namespace cnnplan
