// Draws places of a block without repetition, beginning with its corners.
#include "executor/verify/checked_places.hpp"

#include <algorithm>
#include <numeric>
#include <set>

#include "executor/backend/random.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t run_length = 16;  // as long as vectors of AVX-512, which fail as a whole

std::set<std::int64_t> corners(const Shape& shape) {
  std::set<std::int64_t> places;
  for (unsigned corner = 0; corner < 1U << dim_count; ++corner) {
    std::array<std::int64_t, dim_count> index{};
    for (std::size_t dim = 0; dim < dim_count; ++dim) {
      if ((corner >> dim & 1U) != 0) index[dim] = shape[all_dims[dim]] - 1;
    }
    places.insert(static_cast<std::int64_t>(dense_place(shape, index)));
  }
  return places;
}

}  // namespace

std::array<std::int64_t, dim_count> index_at(const Shape& shape, std::int64_t place) {
  std::array<std::int64_t, dim_count> index{};
  for (Dim dim : {Dim::c, Dim::w, Dim::h, Dim::d, Dim::n}) {
    index[static_cast<std::size_t>(dim)] = place % shape[dim];
    place /= shape[dim];
  }
  return index;
}

std::size_t dense_place(const Shape& shape, const std::array<std::int64_t, dim_count>& index) {
  const auto [n, c, d, h, w] = index;
  return (((n * shape[Dim::d] + d) * shape[Dim::h] + h) * shape[Dim::w] + w) * shape[Dim::c] + c;
}

std::vector<std::int64_t> checked_places(const Shape& shape,
                                         std::int64_t most,
                                         std::uint64_t seed) {
  const std::int64_t all = volume(shape);
  if (all <= most) {
    std::vector<std::int64_t> places(all);
    std::iota(places.begin(), places.end(), std::int64_t{0});
    return places;
  }
  std::set<std::int64_t> places = corners(shape);
  const std::uint64_t key = random_key({.seed = seed, .use = RandomUse::rounding});
  const auto count = static_cast<std::uint64_t>(all);
  for (std::int64_t run = 0; run * run_length < most; ++run) {
    const auto first =
        static_cast<std::int64_t>(random_bits(key, static_cast<std::uint64_t>(run)) % count);
    const std::int64_t end = std::min(all, first + run_length);
    for (std::int64_t place = first; place < end; ++place) places.insert(place);
  }
  return {places.begin(), places.end()};
}

}  // namespace cnnplan
