// How well a ranking of plans was predicted.
#pragma once

#include <cstdint>
#include <span>

namespace cnnplan {

// Kendall's tau-b of two lists of figures of the same plans, in [-1, 1]: 1 when both rank the plans
// alike, 0 when either list has no order at all. Source: Kendall 1945 (ties).
// @throws logic_error unless both lists have the same length
double kendall_tau(std::span<const double> predicted, std::span<const double> measured);

// Pairs whose measured figures differ by more than `tolerance` of the smaller one, and that the
// prediction does not order alike.
std::int64_t misranked_pairs(std::span<const double> predicted,
                             std::span<const double> measured,
                             double tolerance);

}  // namespace cnnplan
