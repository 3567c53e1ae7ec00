// Transfer lists by box algebra: needed boxes intersected with what others hold.
#include "planner/model/transfer.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <span>
#include <stdexcept>
#include <utility>

namespace cnnplan {
namespace {

// All ranks in the order of their blocks: holders of the same block stand together, ascending.
std::vector<int> ranks_by_block(const BlockOwnership& ownership) {
  std::vector<int> ranks(ownership.blocks.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  const auto block_of = [&](int rank) { return ownership.blocks[static_cast<std::size_t>(rank)]; };
  std::sort(ranks.begin(), ranks.end(), [&](int a, int b) {
    return std::pair(block_of(a), a) < std::pair(block_of(b), b);
  });
  return ranks;
}

// Which replica serves `receiver`: itself, else the nearest in rank, the lower one of two.
int provider(std::span<const int> holders, int receiver) {
  return *std::min_element(holders.begin(), holders.end(), [receiver](int a, int b) {
    return std::abs(a - receiver) < std::abs(b - receiver);
  });
}

void sort_by_peer(std::vector<Piece>& pieces) {
  std::stable_sort(
      pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.peer < b.peer; });
}

}  // namespace

TransferList transfer_list(const BlockOwnership& sources,
                           const BlockOwnership& destinations,
                           int rank) {
  if (sources.boxes.size() != destinations.boxes.size()) {
    throw std::logic_error("transfer between distributions of different rank counts");
  }
  const auto self = static_cast<std::size_t>(rank);
  TransferList list;
  const std::vector<int> ranks = ranks_by_block(sources);
  for (auto first = ranks.begin(); first != ranks.end();) {
    const auto holder = static_cast<std::size_t>(*first);
    const auto last = std::find_if(first, ranks.end(), [&](int other) {
      return sources.blocks[static_cast<std::size_t>(other)] != sources.blocks[holder];
    });
    const std::span<const int> holders(first, last);
    first = last;
    const Box& source = sources.boxes[holder];
    if (const Box& wanted = destinations.boxes[self]; overlap(source, wanted)) {
      list.receives.push_back({provider(holders, rank), intersect(source, wanted)});
    }
    if (sources.blocks[self] != sources.blocks[holder]) continue;
    for (std::size_t receiver = 0; receiver < destinations.boxes.size(); ++receiver) {
      const Box& wanted = destinations.boxes[receiver];
      if (overlap(source, wanted) && provider(holders, static_cast<int>(receiver)) == rank) {
        list.sends.push_back({static_cast<int>(receiver), intersect(source, wanted)});
      }
    }
  }
  sort_by_peer(list.sends);
  sort_by_peer(list.receives);
  return list;
}

}  // namespace cnnplan
