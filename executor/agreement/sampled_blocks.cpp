// Numbers the blocks of a dataset in row-major order.
#include "executor/agreement/sampled_blocks.hpp"

#include <algorithm>
#include <random>
#include <set>

namespace cnnplan {
namespace {

// Returns the extents of a block: whole inner dims as far as they fit, so that it is contiguous.
std::vector<std::int64_t> block_extents(std::span<const std::int64_t> extents) {
  std::vector<std::int64_t> block(extents.size(), 1);
  std::int64_t values = 1;
  for (std::size_t dim = extents.size(); dim-- > 0;) {
    block[dim] = std::clamp<std::int64_t>(most_block_values / values, 1, extents[dim]);
    values *= block[dim];
  }
  return block;
}

std::int64_t blocks_in(std::int64_t extent, std::int64_t block) {
  return (extent + block - 1) / block;
}

std::set<std::int64_t> chosen(std::int64_t count, std::int64_t most) {
  std::set<std::int64_t> blocks;
  if (count <= most) {
    for (std::int64_t i = 0; i < count; ++i) blocks.insert(i);
    return blocks;
  }
  const std::int64_t even = most / 2;
  for (std::int64_t i = 0; i < even; ++i) {
    // The product of both numbers could overflow.
    blocks.insert((count - 1) / (even - 1) * i + (count - 1) % (even - 1) * i / (even - 1));
  }
  std::mt19937_64 random(1);
  for (std::int64_t i = even; i < most; ++i) {
    blocks.insert(static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(count)));
  }
  return blocks;
}

Selection selection_of(std::int64_t number,
                       std::span<const std::int64_t> extents,
                       std::span<const std::int64_t> block) {
  Selection selection{.start = std::vector<std::int64_t>(extents.size()),
                      .count = std::vector<std::int64_t>(extents.size())};
  for (std::size_t dim = extents.size(); dim-- > 0;) {
    const std::int64_t blocks = blocks_in(extents[dim], block[dim]);
    selection.start[dim] = number % blocks * block[dim];
    selection.count[dim] = std::min(block[dim], extents[dim] - selection.start[dim]);
    number /= blocks;
  }
  return selection;
}

}  // namespace

std::vector<Selection> sampled_blocks(std::span<const std::int64_t> extents, std::int64_t most) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return {};
  const std::vector<std::int64_t> block = block_extents(extents);
  std::int64_t count = 1;
  for (std::size_t dim = 0; dim < extents.size(); ++dim) {
    count *= blocks_in(extents[dim], block[dim]);
  }
  std::vector<Selection> blocks;
  for (const std::int64_t number : chosen(count, most)) {
    blocks.push_back(selection_of(number, extents, block));
  }
  return blocks;
}

}  // namespace cnnplan
