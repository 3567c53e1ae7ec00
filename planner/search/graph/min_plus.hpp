// Rows of costs: the inner loops of elimination.
#pragma once

#include <cstddef>
#include <span>

namespace cnnplan {

// @pre at least one, none NaN
double least_of(std::span<const double> values);

// min_c a[c] + b[c]. @pre as many of both, at least one, none NaN
double least_sum(std::span<const double> a, std::span<const double> b);

// The first c at which that is reached.
std::size_t place_of_least_sum(std::span<const double> a, std::span<const double> b);

// Whether more + a[c] < b[c] for some c. @pre as many of both, at least one; `a` is finite
bool is_lower_somewhere(std::span<const double> a, double more, std::span<const double> b);

// sums[c] = a[c] + b[c]. @pre as many of all
void add_rows(std::span<const double> a, std::span<const double> b, std::span<double> sums);

}  // namespace cnnplan
