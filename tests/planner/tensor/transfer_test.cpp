// Tests lists of transfers by counting every element that arrives.
#include "planner/tensor/transfer.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <stdexcept>

#include <doctest/doctest.h>

#include "planner/tensor/distribution.hpp"
#include "tests/planner/base/random_values.hpp"

namespace cnnplan::test {
namespace {

// Returns a mesh with axes in any order, whose sizes need not divide the shape.
Mesh random_mesh(RandomValues& random, int ranks) {
  std::vector<MeshAxis> axes;
  for (Axis axis : {Axis::n, Axis::c, Axis::d, Axis::h, Axis::w, Axis::r}) {
    const auto place = random.small(0, static_cast<int>(axes.size()));
    axes.insert(axes.begin() + place, {axis, 1});
  }
  for (int factor = 2; ranks > 1; ++factor) {
    for (; ranks % factor == 0; ranks /= factor) {
      axes[static_cast<std::size_t>(random.small(0, 5))].size *= factor;
    }
  }
  return Mesh(axes);
}

Shape random_shape(RandomValues& random) {
  Shape shape;
  for (Dim dim : all_dims) shape[dim] = random.integer(1, 5);
  return shape;
}

// Returns boxes that are larger by up to `most` on each side of the spatial dims, as for a halo.
// Empty boxes stay empty.
RankBoxes grown(const RankBoxes& ownership, const Shape& shape, std::int64_t most) {
  Window window;
  for (WindowDim& dim : window.dims) {
    dim = {.kernel = 2 * most + 1, .padding_begin = most, .padding_end = most};
  }
  return ownership.under(window, shape);
}

std::vector<TransferList> all_lists(const RankBoxes& sources,
                                    const RankBoxes& destinations,
                                    int ranks_per_node = 1) {
  std::vector<TransferList> lists;
  for (int rank = 0; rank < sources.rank_count(); ++rank) {
    lists.push_back(transfer_list(sources, destinations, rank, ranks_per_node));
  }
  return lists;
}

using Element = std::array<std::int64_t, dim_count>;

template <typename Visit>
void for_each_element(const Box& box, Visit&& visit) {
  if (is_empty(box)) return;
  Element at;
  for (std::size_t i = 0; i < dim_count; ++i) at[i] = box.ranges[i].begin;
  while (true) {
    visit(at);
    std::size_t i = dim_count;
    while (i-- > 0) {
      if (++at[i] < box.ranges[i].end) break;
      at[i] = box.ranges[i].begin;
      if (i == 0) return;
    }
  }
}

bool holds(const Box& box, const Element& at) {
  for (std::size_t i = 0; i < dim_count; ++i) {
    if (at[i] < box.ranges[i].begin || at[i] >= box.ranges[i].end) return false;
  }
  return true;
}

// Returns how often each element must arrive: once for every distinct source block that holds it.
std::map<Element, int> expected_arrivals(const RankBoxes& sources, const Box& wanted) {
  std::map<Element, int> arrivals;
  std::set<int> seen;
  for (int rank = 0; rank < sources.rank_count(); ++rank) {
    if (!seen.insert(sources.block(rank)).second) continue;
    for_each_element(wanted, [&](const Element& at) {
      if (holds(sources.box(rank), at)) ++arrivals[at];
    });
  }
  return arrivals;
}

std::map<Element, int> arrivals_of(const TransferList& list) {
  std::map<Element, int> arrivals;
  for (const Piece& piece : list.receives) {
    for_each_element(piece.box, [&](const Element& at) { ++arrivals[at]; });
  }
  return arrivals;
}

std::vector<Box> boxes_with(const std::vector<Piece>& pieces, int peer) {
  std::vector<Box> boxes;
  for (const Piece& piece : pieces) {
    if (piece.peer == peer) boxes.push_back(piece.box);
  }
  return boxes;
}

bool ordered_by_peer(const std::vector<Piece>& pieces) {
  return std::is_sorted(
      pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.peer < b.peer; });
}

bool match_pairwise(const std::vector<TransferList>& lists) {
  for (std::size_t a = 0; a < lists.size(); ++a) {
    for (std::size_t b = 0; b < lists.size(); ++b) {
      if (boxes_with(lists[a].sends, static_cast<int>(b)) !=
          boxes_with(lists[b].receives, static_cast<int>(a))) {
        return false;
      }
    }
  }
  return true;
}

// Counts pieces one by one.
ReceivedPieces counted(const std::vector<Piece>& receives, int rank) {
  ReceivedPieces all;
  for (const Piece& piece : receives) {
    const std::int64_t elements = volume(piece.box);
    all.longest = std::max(all.longest, elements);
    if (piece.peer == rank) {
      all.own += elements;
    } else {
      ++all.senders;
      all.elements += elements;
    }
  }
  return all;
}

// Checks all groups of ranks in a row.
void check_most_elements(const RankBoxes& sources,
                         const Box& wanted,
                         const std::vector<Piece>& receives) {
  for (int first = 0; first < sources.rank_count(); ++first) {
    std::int64_t elements = 0;
    for (int last = first; last < sources.rank_count(); ++last) {
      for (const Piece& piece : receives) {
        if (piece.peer == last) elements += volume(piece.box);
      }
      CHECK(most_elements_from(sources, wanted, first, last) >= elements);
    }
  }
}

void check_lists(const RankBoxes& sources, const RankBoxes& destinations, int ranks_per_node = 1) {
  const auto lists = all_lists(sources, destinations, ranks_per_node);
  CHECK(match_pairwise(lists));
  for (int rank = 0; rank < sources.rank_count(); ++rank) {
    const TransferList& list = lists[static_cast<std::size_t>(rank)];
    CHECK(ordered_by_peer(list.sends));
    CHECK(ordered_by_peer(list.receives));
    CHECK(arrivals_of(list) == expected_arrivals(sources, destinations.box(rank)));
    CHECK(received_pieces(sources, destinations.box(rank), rank) == counted(list.receives, rank));
    check_most_elements(sources, destinations.box(rank), list.receives);
    for (const Piece& piece : list.sends) {
      CHECK(contains(sources.box(rank), piece.box));
      CHECK_FALSE(is_empty(piece.box));
    }
  }
}

RankBoxes four_replicas_of_one_block() {
  return RankBoxes(Distribution({{2, 1, 1, 1, 1}}, parse_mesh("r4")));
}

}  // namespace

TEST_CASE("transfer_list: between any two distributions every element arrives once") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const int ranks = random.small(1, 8);
    const Shape shape = random_shape(random);
    check_lists(RankBoxes(Distribution(shape, random_mesh(random, ranks))),
                RankBoxes(Distribution(shape, random_mesh(random, ranks))));
  }
}

TEST_CASE("transfer_list: halos, and the sum of what overlaps on the way back") {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const Shape shape = random_shape(random);
    const RankBoxes owned(Distribution(shape, random_mesh(random, random.small(1, 8))));
    const auto haloed = grown(owned, shape, random.integer(0, 2));
    check_lists(owned, haloed);
    check_lists(haloed, owned);
  }
}

TEST_CASE("transfer_list: nothing moves but local pieces between equal distributions") {
  for (const char* mesh : {"n2h2", "r4", "n2r2", "r2w2"}) {
    const RankBoxes owned(Distribution({{4, 2, 1, 4, 4}}, parse_mesh(mesh)));
    const auto lists = all_lists(owned, owned);
    for (int rank = 0; rank < 4; ++rank) {
      const Piece own{rank, owned.box(rank)};
      CHECK(lists[static_cast<std::size_t>(rank)].sends == std::vector{own});
      CHECK(lists[static_cast<std::size_t>(rank)].receives == std::vector{own});
    }
  }
}

TEST_CASE("transfer_list: the receiver's own replica is used, else the nearest, then the lowest") {
  const RankBoxes sources(Distribution({{2, 1, 1, 1, 1}}, parse_mesh("r3n2")));
  // The blocks of the ranks are 0 1 0 1 0 1: sample 0 is on ranks 0 2 4, sample 1 on ranks 1 3 5.
  const RankBoxes destinations(Distribution({{2, 1, 1, 1, 1}}, parse_mesh("r6")));
  const auto lists = all_lists(sources, destinations);
  const auto peers = [&](std::size_t rank) {
    std::vector<int> from;
    for (const Piece& piece : lists[rank].receives) from.push_back(piece.peer);
    return from;
  };
  CHECK(peers(0) == std::vector{0, 1});
  CHECK(peers(1) == std::vector{0, 1});
  CHECK(peers(2) == std::vector{1, 2});
  CHECK(peers(5) == std::vector{4, 5});
}

TEST_CASE("transfer_list: a replica on the receiver's node sends, the nearest of several") {
  const auto peers = [](const char* mesh, int ranks_per_node, int rank) {
    const RankBoxes sources(Distribution({{4, 1, 1, 1, 1}}, parse_mesh(mesh)));
    const RankBoxes destinations(Distribution({{4, 1, 1, 1, 1}}, parse_mesh("r8")));
    std::vector<int> from;
    for (const Piece& piece : transfer_list(sources, destinations, rank, ranks_per_node).receives) {
      from.push_back(piece.peer);
    }
    return from;
  };
  // One half of the samples is on ranks 0 2 4 6, the other half on ranks 1 3 5 7.
  CHECK(peers("r4n2", 1, 4) == std::vector{3, 4});
  CHECK(peers("r4n2", 4, 4) == std::vector{4, 5});
  CHECK(peers("r4n2", 4, 3) == std::vector{2, 3});
  // Each sample is on two ranks, such as sample 1 on ranks 1 and 5.
  CHECK(peers("r2n4", 1, 3) == std::vector{1, 2, 3, 4});
  CHECK(peers("r2n4", 2, 3) == std::vector{1, 2, 3, 4});
  CHECK(peers("r2n4", 4, 4) == std::vector{4, 5, 6, 7});
}

TEST_CASE("transfer_list: with nodes, too, every element arrives once") {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    RandomValues random(seed);
    const int ranks_per_node = random.small(2, 4);
    const int ranks = random.small(1, 3) * ranks_per_node;
    const Shape shape = random_shape(random);
    const RankBoxes sources(Distribution(shape, random_mesh(random, ranks)));
    const RankBoxes destinations(Distribution(shape, random_mesh(random, ranks)));
    check_lists(sources, destinations, ranks_per_node);
  }
}

TEST_CASE("transfer_list: no replica sends a block that the receiver holds") {
  const auto replicas = four_replicas_of_one_block();
  for (const TransferList& list : all_lists(replicas, replicas)) {
    CHECK(list.sends.size() == 1);
    CHECK(list.receives.size() == 1);
  }
}

TEST_CASE("transfer_list: empty blocks neither send nor receive") {
  const RankBoxes sources(Distribution({{2, 1, 1, 1, 1}}, parse_mesh("n4")));
  const RankBoxes destinations(Distribution({{2, 1, 1, 1, 1}}, parse_mesh("h4")));
  const auto lists = all_lists(sources, destinations);
  CHECK(lists[0].receives.size() == 2);
  CHECK(lists[1].receives.empty());
  CHECK(lists[1].sends.size() == 1);
  CHECK(lists[3].empty());
}

TEST_CASE("most_elements_from: exact for nodes that hold whole axes") {
  const Shape shape{{8, 8, 1, 4, 4}};
  const RankBoxes sources(Distribution(shape, parse_mesh("n2c4h2")));
  const Box wanted = whole(shape);
  CHECK(most_elements_from(sources, wanted, 0, 0) == volume(sources.box(0)));
  CHECK(most_elements_from(sources, wanted, 2, 3) == 2 * volume(sources.box(0)));
  CHECK(most_elements_from(sources, wanted, 8, 15) == 8 * volume(sources.box(0)));
  CHECK(most_elements_from(sources, wanted, 0, 15) == volume(wanted));
  const RankBoxes replicas(Distribution(shape, parse_mesh("n2r8")));
  CHECK(most_elements_from(replicas, wanted, 0, 3) == volume(wanted) / 2);
}

TEST_CASE("transfer_list: distributions over different numbers of ranks are an error") {
  const RankBoxes two(Distribution({}, parse_mesh("n2")));
  const RankBoxes three(Distribution({}, parse_mesh("n3")));
  CHECK_THROWS_AS(transfer_list(two, three, 0), std::logic_error);
}

}  // namespace cnnplan::test
