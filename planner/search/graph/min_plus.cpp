// Keeps several least values at once in vectors, so that no comparison waits for the one before.
// Compilers make one clone of each loop for each instruction set.
#include "planner/search/graph/min_plus.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

// The loader of glibc picks the clone for the processor. Sanitizers cannot instrument this choice.
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CNNPLAN_CLONES __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define CNNPLAN_CLONES
#endif

namespace cnnplan {
namespace {

constexpr std::size_t lanes = 4;
constexpr double infinity = std::numeric_limits<double>::infinity();

// Holds values at places in a row, in one register of AVX2.
using Lanes = double __attribute__((vector_size(lanes * sizeof(double))));

// Sets the lanes to the values from `begin` on.
[[gnu::always_inline]] inline void load(std::span<const double> values,
                                        std::size_t begin,
                                        Lanes& loaded) {
  std::memcpy(&loaded, values.data() + begin, sizeof(loaded));
}

// Lowers each lane by the value at its place from `begin` on.
template <typename LoadFrom>
[[gnu::always_inline]] inline void lower(Lanes& least,
                                         std::size_t begin,
                                         const LoadFrom& load_from) {
  Lanes values{};
  load_from(begin, values);
  least = values < least ? values : least;
}

// Returns the least value at any of the places. `load_from` sets lanes to the values from a place
// on, and `value_at` returns the value at a place.
template <typename LoadFrom, typename ValueAt>
[[gnu::always_inline]] inline double least_value(std::size_t count,
                                                 const LoadFrom& load_from,
                                                 const ValueAt& value_at) {
  double least = infinity;
  if (count < lanes) {
    for (std::size_t c = 0; c < count; ++c) least = std::min(least, value_at(c));
    return least;
  }
  Lanes first{};
  Lanes second{};
  load_from(0, first);
  load_from(count - lanes, second);
  // Some of the values may count twice, which does not change the least one.
  std::size_t c = lanes;
  for (; c + 2 * lanes <= count; c += 2 * lanes) {
    lower(first, c, load_from);
    lower(second, c + lanes, load_from);
  }
  if (c + lanes <= count) lower(first, c, load_from);
  first = second < first ? second : first;
  for (std::size_t lane = 0; lane < lanes; ++lane) least = std::min(least, first[lane]);
  return least;
}

}  // namespace

CNNPLAN_CLONES double least_of(std::span<const double> values) {
  return least_value(
      values.size(),
      [&](std::size_t c, Lanes& lanes_at) { load(values, c, lanes_at); },
      [&](std::size_t c) { return values[c]; });
}

CNNPLAN_CLONES double least_sum(std::span<const double> a, std::span<const double> b) {
  return least_value(
      a.size(),
      [&](std::size_t c, Lanes& sums) {
        Lanes other{};
        load(a, c, sums);
        load(b, c, other);
        sums += other;
      },
      [&](std::size_t c) { return a[c] + b[c]; });
}

CNNPLAN_CLONES bool is_lower_somewhere(std::span<const double> a,
                                       double more,
                                       std::span<const double> b) {
  return least_value(
             a.size(),
             [&](std::size_t c, Lanes& differences) {
               Lanes other{};
               load(a, c, differences);
               load(b, c, other);
               differences = more + differences - other;
             },
             [&](std::size_t c) { return more + a[c] - b[c]; }) < 0.0;
}

std::size_t place_of_least_sum(std::span<const double> a, std::span<const double> b) {
  const double least = least_sum(a, b);
  std::size_t place = 0;
  while (a[place] + b[place] != least) ++place;
  return place;
}

CNNPLAN_CLONES void add_rows(std::span<const double> a,
                             std::span<const double> b,
                             std::span<double> sums) {
  for (std::size_t c = 0; c < sums.size(); ++c) sums[c] = a[c] + b[c];
}

}  // namespace cnnplan
