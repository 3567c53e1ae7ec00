// Transfer lists by box algebra: needed boxes intersected with what others hold.
#include "planner/model/transfer.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace cnnplan {
namespace {

// Ranks that hold each distinct block, ascending.
std::vector<std::vector<int>> holders_by_block(const BlockOwnership& ownership) {
  std::vector<std::vector<int>> holders;
  for (std::size_t rank = 0; rank < ownership.blocks.size(); ++rank) {
    const auto block = static_cast<std::size_t>(ownership.blocks[rank]);
    if (block >= holders.size()) holders.resize(block + 1);
    holders[block].push_back(static_cast<int>(rank));
  }
  return holders;
}

// Which replica serves `receiver`: itself, else the nearest in rank, the lower one of two.
int provider(const std::vector<int>& holders, int receiver) {
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
  for (const std::vector<int>& holders : holders_by_block(sources)) {
    if (holders.empty()) continue;
    const Box& source = sources.boxes[static_cast<std::size_t>(holders.front())];
    const Box wanted = intersect(source, destinations.boxes[self]);
    if (!is_empty(wanted)) list.receives.push_back({provider(holders, rank), wanted});
    if (sources.blocks[self] != sources.blocks[static_cast<std::size_t>(holders.front())]) continue;
    for (std::size_t receiver = 0; receiver < destinations.boxes.size(); ++receiver) {
      const Box sent = intersect(source, destinations.boxes[receiver]);
      if (!is_empty(sent) && provider(holders, static_cast<int>(receiver)) == rank) {
        list.sends.push_back({static_cast<int>(receiver), sent});
      }
    }
  }
  sort_by_peer(list.sends);
  sort_by_peer(list.receives);
  return list;
}

}  // namespace cnnplan
