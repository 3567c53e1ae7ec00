// Tests which blocks of a large dataset are compared, and which changes that finds.
#include "executor/agreement/sampled_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

using Extents = std::vector<std::int64_t>;

// Returns the index of the first value of each block, in row-major order of the dataset.
std::vector<std::int64_t> firsts(const Extents& extents, std::int64_t most = most_sampled_blocks) {
  std::vector<std::int64_t> indices;
  for (const Selection& block : sampled_blocks(extents, most)) {
    std::int64_t index = 0;
    for (std::size_t i = 0; i < extents.size(); ++i) index = index * extents[i] + block.start[i];
    indices.push_back(index);
  }
  return indices;
}

TEST_CASE("sampled blocks lie in the dataset, differ, and hold at most 4 Mi values") {
  for (const Extents& extents : {Extents{1281167, 3, 224, 224},
                                 Extents{50000000},
                                 Extents{60000, 1, 28, 28},
                                 Extents{2, 1, 1536, 1536},
                                 Extents{7, 1, 3, 1000003},
                                 Extents{std::int64_t{1} << 60}}) {
    const std::vector<std::int64_t> indices = firsts(extents);
    CHECK(std::is_sorted(indices.begin(), indices.end()));
    CHECK(std::set(indices.begin(), indices.end()).size() == indices.size());
    CHECK(indices.size() <= static_cast<std::size_t>(most_sampled_blocks));
    CHECK(indices.size() >= static_cast<std::size_t>(most_sampled_blocks) / 2);
    for (const Selection& block : sampled_blocks(extents)) {
      CHECK(element_count(block.count) <= most_block_values);
      for (std::size_t i = 0; i < extents.size(); ++i) {
        CHECK(block.count[i] > 0);
        CHECK(block.start[i] + block.count[i] <= extents[i]);
      }
    }
  }
}

TEST_CASE("the first and the last value are in a sampled block") {
  for (const Extents& extents : {Extents{50000000}, Extents{1000, 3, 225, 223}}) {
    for (const std::int64_t most : {4, 8, 256}) {
      const std::vector<Selection> blocks = sampled_blocks(extents, most);
      CHECK(blocks.front().start == Extents(extents.size(), 0));
      for (std::size_t i = 0; i < extents.size(); ++i) {
        CHECK(blocks.back().start[i] + blocks.back().count[i] == extents[i]);
      }
    }
  }
}

TEST_CASE("no gap between sampled blocks is larger than 1/127 of the dataset") {
  const std::int64_t values = std::int64_t{1} << 32;
  const std::vector<std::int64_t> indices = firsts({values});
  for (std::size_t i = 1; i < indices.size(); ++i) {
    CHECK(indices[i] - indices[i - 1] <= values / 127 + most_block_values);
  }
}

TEST_CASE("changes of 1 block in 50 are missed as seldom as the header says") {
  constexpr int trials = 4000;
  constexpr double changed = 0.02;
  const std::vector<std::int64_t> indices = firsts({std::int64_t{1} << 32});
  std::mt19937_64 random(7);
  std::bernoulli_distribution is_changed(changed);
  int missed = 0;
  for (int i = 0; i < trials; ++i) {
    missed += std::none_of(
        indices.begin(), indices.end(), [&](std::int64_t /*block*/) { return is_changed(random); });
  }
  const double expected = std::pow(1.0 - changed, 256);  // 0.6 %
  CHECK(missed <= 3 * expected * trials);
}

TEST_CASE("a dataset without values has no blocks") {
  CHECK(sampled_blocks(Extents{0, 3, 4, 4}).empty());
}

}  // namespace
}  // namespace cnnplan
