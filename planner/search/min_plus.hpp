// Least sums of two rows of costs: the inner loop of elimination.
#pragma once

#include <cstddef>
#include <span>

namespace cnnplan {

// min_c a[c] + b[c]. @pre as many of both, at least one, none NaN
double least_sum(std::span<const double> a, std::span<const double> b);

// The first c at which that is reached.
std::size_t place_of_least_sum(std::span<const double> a, std::span<const double> b);

// sums[c] = a[c] + b[c]. @pre as many of all
void add_rows(std::span<const double> a, std::span<const double> b, std::span<double> sums);

}  // namespace cnnplan
