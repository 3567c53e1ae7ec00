// Tests how the pieces of a transfer become one message per peer, and when they are staged.
#include "planner/tensor/peer_message.hpp"

#include <doctest/doctest.h>

namespace cnnplan {
namespace {

// Returns rows and channels of a tensor (2, 4, 1, 8, 3).
Box part(Range rows, Range channels) {
  Box box = whole({{2, 4, 1, 8, 3}});
  box[Dim::h] = rows;
  box[Dim::c] = channels;
  return box;
}

Box of_one_sample(Box box) {
  box[Dim::n] = {1, 2};
  return box;
}

const Box everything = part({0, 8}, {0, 4});

}  // namespace

TEST_CASE("is_contiguous: one run of memory, channels fastest") {
  CHECK(is_contiguous(everything, everything));
  CHECK(is_contiguous(of_one_sample(everything), everything));
  CHECK(is_contiguous(of_one_sample(part({2, 5}, {0, 4})), everything));
  CHECK_FALSE(is_contiguous(part({2, 5}, {0, 4}), everything));
  CHECK_FALSE(is_contiguous(of_one_sample(part({0, 8}, {0, 2})), everything));
}

TEST_CASE("messages_of: pieces of a peer are one message, staged unless they are one run") {
  const Box run = of_one_sample(part({2, 5}, {0, 4}));
  const Box rows = part({0, 1}, {0, 4});
  CHECK(messages_of(std::vector<Piece>{{0, run}, {1, rows}, {3, run}, {3, rows}}, everything) ==
        std::vector<PeerMessage>{{.peer = 0, .elements = 36, .staged = false},
                                 {.peer = 1, .elements = 24, .staged = true},
                                 {.peer = 3, .elements = 60, .staged = true}});
}

TEST_CASE("messages_of: empty pieces make no message, and without a buffer all are staged") {
  const Box run = of_one_sample(everything);
  CHECK(messages_of(std::vector<Piece>{{0, Box{}}}, everything).empty());
  CHECK(messages_of(std::vector<Piece>{{2, run}}, Box{}) ==
        std::vector<PeerMessage>{{.peer = 2, .elements = 96, .staged = true}});
}

}  // namespace cnnplan
