// Tests that Permutation is a bijection for every size.
#include "executor/data/permutation.hpp"

#include <cmath>
#include <cstddef>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

std::vector<std::int64_t> images_of(std::int64_t size, std::uint64_t key) {
  const Permutation permutation(size, key);
  std::vector<std::int64_t> images;
  for (std::int64_t i = 0; i < size; ++i) images.push_back(permutation(i));
  return images;
}

TEST_CASE("Permutation: hits every index once") {
  for (std::int64_t size : {1, 2, 3, 4, 5, 16, 17, 63, 64, 65, 1000, 60000}) {
    CAPTURE(size);
    std::vector<int> hits(static_cast<std::size_t>(size), 0);
    for (std::int64_t image : images_of(size, 42)) ++hits.at(static_cast<std::size_t>(image));
    for (int count : hits) REQUIRE(count == 1);
  }
}

TEST_CASE("Permutation: keys give different orders") {
  CHECK(images_of(100, 1) != images_of(100, 2));
  CHECK(images_of(100, 1) == images_of(100, 1));
}

TEST_CASE("Permutation: first images are spread evenly over keys") {
  constexpr int keys = 20000;
  constexpr std::int64_t size = 10;
  std::vector<int> hits(size, 0);
  for (int key = 0; key < keys; ++key) {
    ++hits.at(static_cast<std::size_t>(Permutation(size, static_cast<std::uint64_t>(key))(0)));
  }
  // The hits are binomial: 220 is five standard deviations of about 42.
  for (int count : hits) CHECK(std::abs(count - keys / 10) < 220);
}

}  // namespace
}  // namespace cnnplan
