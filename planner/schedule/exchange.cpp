// Transfer lists, and what of them may stay where it is.
#include "planner/schedule/exchange.hpp"

#include <algorithm>

namespace cnnplan {
namespace {

void keep_own_part(Exchange& exchange, int rank) {
  const auto is_own = [rank](const Piece& piece) { return piece.peer == rank; };
  std::erase_if(exchange.list.sends, is_own);
  std::erase_if(exchange.list.receives, is_own);
  exchange.in_place = true;
}

// True when the pieces cover `box` without overlap, so that they can be written, not added.
bool tiles(const std::vector<Piece>& pieces, const Box& box) {
  std::int64_t covered = 0;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    covered += volume(pieces[i].box);
    for (std::size_t j = 0; j < i; ++j) {
      if (overlap(pieces[i].box, pieces[j].box)) return false;
    }
  }
  return covered == volume(box);
}

}  // namespace

Box storage_block(const Box& own, bool dense, std::span<const Box> dense_reads) {
  if (dense || is_empty(own) || dense_reads.empty()) return own;
  const Box& storage = dense_reads.front();
  const bool same = std::all_of(
      dense_reads.begin(), dense_reads.end(), [&](const Box& box) { return box == storage; });
  return same && contains(storage, own) ? storage : own;
}

bool exchanges_forward(const BlockOwnership& owned, const BlockOwnership& needed) {
  return owned.boxes != needed.boxes;
}

bool exchanges_backward(const BlockOwnership& needed, const BlockOwnership& owned) {
  return needed.boxes != owned.boxes || needed.blocks != owned.blocks;
}

Exchange exchange_forward(const BlockOwnership& owned,
                          const BlockOwnership& needed,
                          const Box& storage,
                          int rank) {
  const auto self = static_cast<std::size_t>(rank);
  Exchange exchange{.list = transfer_list(owned, needed, rank)};
  const Box& want = needed.boxes[self];
  if (want == owned.boxes[self] || want == storage) keep_own_part(exchange, rank);
  return exchange;
}

bool copies_inputs(const LayerParameters& parameters) {
  return std::holds_alternative<Concat>(parameters);
}

Exchange exchange_into_output(const BlockOwnership& owned, const BlockOwnership& needed, int rank) {
  return {.list = transfer_list(owned, needed, rank)};
}

bool shares_gradient(const LayerParameters& parameters) {
  return std::holds_alternative<Add>(parameters) || copies_inputs(parameters);
}

Exchange exchange_backward(const BlockOwnership& needed,
                           const BlockOwnership& owned,
                           const GradientUse& use,
                           int rank) {
  const auto self = static_cast<std::size_t>(rank);
  const Box& have = needed.boxes[self];
  const Box& own = owned.boxes[self];
  Exchange exchange{.list = transfer_list(needed, owned, rank), .accumulate = true};
  const auto& sends = exchange.list.sends;
  const bool sends_own = std::any_of(sends.begin(), sends.end(), [&](const Piece& piece) {
    return piece.peer != rank && overlap(piece.box, own);
  });
  if (!use.shared && !is_empty(own) && contains(have, own) && !sends_own &&
      (!use.dense || have == own)) {
    keep_own_part(exchange, rank);
    return exchange;
  }
  exchange.accumulate = exchange.zero_first = !tiles(exchange.list.receives, own);
  return exchange;
}

}  // namespace cnnplan
