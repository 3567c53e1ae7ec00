// Computes with rows of costs in the inner loops of elimination.
#pragma once

#include <cstddef>
#include <span>

namespace cnnplan {

// Returns the smallest value. @pre there is at least one value, and none is NaN
double least_of(std::span<const double> values);

// Returns min_c a[c] + b[c]. @pre both have the same number of values, at least one, none NaN
double least_sum(std::span<const double> a, std::span<const double> b);

// Returns the first c with a[c] + b[c] == least_sum(a, b). @pre as least_sum()
std::size_t place_of_least_sum(std::span<const double> a, std::span<const double> b);

// Returns whether more + a[c] < b[c] for some c.
// @pre both have the same number of values, at least one; `a` is finite
bool is_lower_somewhere(std::span<const double> a, double more, std::span<const double> b);

// Sets sums[c] = a[c] + b[c]. @pre all have the same number of values
void add_rows(std::span<const double> a, std::span<const double> b, std::span<double> sums);

}  // namespace cnnplan
