// Says which coordinates along one axis of a mesh do the same work in some layers.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/plan/plan.hpp"
#include "planner/tensor/box.hpp"
#include "planner/tensor/mesh.hpp"

namespace cnnplan {

// Returns a number from 0 on for each coordinate along the axis. Coordinates with equal numbers
// have blocks of the same size and padding, and exchange as much with their neighbours. Along c,
// they also copy as many channels from and to coordinates that are as far away.
// @pre `axis` is an axis n, c, d, h or w of the mesh of all `layers`
std::vector<int> coordinate_classes(const Plan& plan,
                                    const std::vector<LayerIndex>& layers,
                                    const MeshAxis& axis);

// Returns how many indices two ranges share.
std::int64_t shared_size(Range a, Range b);

// Cuts `length` indices into `parts` blocks (block_range), and returns how many of these blocks
// share an index with the range.
// @pre parts >= 1; the range is empty, or part of [0, length)
int blocks_meeting(std::int64_t length, int parts, Range range);

}  // namespace cnnplan
