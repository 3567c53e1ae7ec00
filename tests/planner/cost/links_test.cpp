// Tests the times of messages and transfers: segments, gaps, shared ports, packing and adding.
#include "planner/cost/links.hpp"

#include <doctest/doctest.h>

#include "tests/relative.hpp"

namespace cnnplan {
namespace {

// Returns a platform with nodes of 2 ranks. A message inside a node takes 1 s + 0.001 s/byte, with
// twice the alpha beyond 100 bytes. A message between nodes takes 100 s + 0.1 s/byte.
Platform two_levels() {
  Platform platform;
  platform.levels = {{.name = "node",
                      .ranks_per_group = 2,
                      .segments = {{100, 1.0, 0.001}, {1000000, 2.0, 0.001}},
                      .duplex_factor = 1.5,
                      .shared_by = 1},
                     {.name = "cluster",
                      .ranks_per_group = 4,
                      .segments = {{1000000, 100.0, 0.1}},
                      .duplex_factor = 1.0,
                      .shared_by = 2,
                      .gap_s = 7.0}};
  platform.copy_s_per_byte = 1e-5;
  platform.gamma_s_per_byte = 1e-4;
  return platform;
}

// Returns rows [begin, end) of a tensor (n, 4, 1, 8, 2). A row of one sample has 8 elements, which
// are 32 bytes.
Box rows(std::int64_t samples, std::int64_t begin, std::int64_t end) {
  return {.ranges = {Range{0, samples}, {0, 4}, {0, 1}, {begin, end}, {0, 2}}};
}

TransferTraits traits(std::int64_t samples) {
  return {.source_box = rows(samples, 0, 8), .destination_box = rows(samples, 0, 8)};
}

// Returns how long rank 0 sends `own` bytes to rank 2, without the latency, while rank 1 has the
// list `other`.
double busy_s(const Piece& own, const TransferList& other) {
  const ListOf list_of = [&](int rank) { return rank == 1 ? other : TransferList{}; };
  return transfer_time(two_levels(), {{own}, {}}, 0, traits(1), list_of).link_s - 100;
}

}  // namespace

TEST_CASE("message_time_s: the segment of its size on the level of its ranks") {
  const Platform platform = two_levels();
  CHECK(message_time_s(platform, 0, 1, 100) == relative(1.1));
  CHECK(message_time_s(platform, 0, 1, 101) == relative(2.101));
  CHECK(message_time_s(platform, 0, 1, 1e7) == relative(2.0 + 1e4));
  CHECK(message_time_s(platform, 1, 2, 100) == relative(110));
  CHECK(message_time_s(platform, 2, 2, 100) == relative(1e-3));
}

TEST_CASE("transfer_time: sends only, receives only, both at the same time") {
  const Platform platform = two_levels();
  const Piece piece{.peer = 1, .box = rows(1, 0, 2)};  // 64 bytes
  const double one_s = 1.064;
  CHECK(transfer_time(platform, {{piece}, {}}, 0, traits(1)).link_s == relative(one_s));
  CHECK(transfer_time(platform, {{}, {piece}}, 0, traits(1)).link_s == relative(one_s));
  CHECK(transfer_time(platform, {{piece}, {piece}}, 0, traits(1)).link_s == relative(1.5 * one_s));
  CHECK(transfer_time(platform, {}, 0, traits(1)).total_s() == 0.0);
}

TEST_CASE("transfer_time: the longer direction runs alone at its end") {
  const Platform platform = two_levels();
  const Piece small{.peer = 1, .box = rows(1, 0, 1)};
  const Piece large{.peer = 1, .box = rows(1, 0, 3)};
  CHECK(transfer_time(platform, {{small}, {large}}, 0, traits(1)).link_s ==
        relative(1.5 * 1.032 + (1.096 - 1.032)));
}

TEST_CASE("transfer_time: measured exchanges count by the size of the message") {
  Platform platform = two_levels();
  platform.levels[0].exchange_segments = {{64, 1.25, 0.002}, {1000000, 3.0, 0.004}};
  const auto link_s = [&](std::int64_t sent_rows, std::int64_t received_rows) {
    TransferList list;
    if (sent_rows > 0) list.sends = {{.peer = 1, .box = rows(1, 0, sent_rows)}};
    if (received_rows > 0) list.receives = {{.peer = 1, .box = rows(1, 0, received_rows)}};
    return transfer_time(platform, list, 0, traits(1)).link_s;
  };
  CHECK(link_s(2, 0) == relative(1.064));
  CHECK(link_s(2, 2) == relative(1.25 + 0.128));
  CHECK(link_s(3, 3) == relative(3.0 + 0.384));
  // While 64 bytes go both ways, the other direction sends what takes as long alone.
  CHECK(link_s(2, 3) == relative(1.25 + 0.128 + (1.096 - 1.064)));
  CHECK(link_s(3, 2) == link_s(2, 3));
  // Exchanges that seem faster than messages do not make a long message faster than it is alone
  // or in an exchange.
  platform.levels[0].exchange_segments = {{64, 0.1, 0.0}, {1000000, 0.9, 0.001}};
  CHECK(link_s(2, 2) == relative(0.1));
  CHECK(link_s(2, 3) == relative(0.996));
}

TEST_CASE("transfer_time: one message per peer, levels at the same time") {
  Platform platform = two_levels();
  platform.levels[1].shared_by = 1;
  const TransferList list{.sends = {{1, rows(1, 0, 1)}, {1, rows(1, 4, 5)}, {2, rows(1, 0, 1)}},
                          .receives = {}};
  CHECK(transfer_time(platform, list, 0, traits(1)).link_s == relative(100 + 0.1 * 32 + 7));
}

TEST_CASE("transfer_time: latencies overlap, bytes and gaps follow each other") {
  Platform platform = two_levels();
  platform.levels[1].shared_by = 1;
  const Box row = rows(1, 0, 1);
  const Box longer = rows(1, 0, 4);
  const auto link_s = [&](const TransferList& list, int rank) {
    return transfer_time(platform, list, rank, traits(1)).link_s;
  };
  CHECK(link_s({.sends = {{2, row}, {3, longer}}, .receives = {}}, 0) ==
        relative(100 + 0.1 * (32 + 128) + 7));
  CHECK(link_s({.sends = {}, .receives = {{2, row}, {3, longer}}}, 0) ==
        relative(100 + 0.1 * (32 + 128) + 7));
  // The last segment has twice the alpha of the first. The message waits for the larger alpha.
  Platform wide = platform;
  wide.levels[0].ranks_per_group = 4;
  CHECK(transfer_time(wide, {{{1, row}, {3, longer}}, {}}, 0, traits(1)).link_s ==
        relative(2 + 0.032 + 0.128));
}

TEST_CASE("transfer_time: a port is shared fairly, until the shorter message is over") {
  const Piece short_one{.peer = 2, .box = rows(1, 0, 1)};
  const Piece long_one{.peer = 2, .box = rows(1, 0, 4)};
  struct Row {
    Piece own;
    Piece other;
    double expected_s;
  };
  for (const Row& row : std::vector<Row>{{short_one, short_one, 3.2 + 3.2},
                                         {short_one, long_one, 3.2 + 3.2},
                                         {long_one, short_one, 12.8 + 3.2},
                                         {long_one, long_one, 12.8 + 12.8}}) {
    CHECK(busy_s(row.own, {{row.other}, {}}) == relative(row.expected_s));
  }
}

TEST_CASE("transfer_time: without other lists, all ranks of a port have equal messages") {
  const Piece piece{.peer = 2, .box = rows(1, 0, 1)};
  CHECK(transfer_time(two_levels(), {{piece}, {}}, 0, traits(1)).link_s == relative(106.4));
}

TEST_CASE("transfer_traffic: it is priced on platforms that differ in times") {
  const TransferList own{{{1, rows(1, 0, 3)}, {2, rows(1, 0, 1)}}, {{0, rows(1, 0, 2)}}};
  const TransferList other{{{3, rows(1, 0, 4)}, {0, rows(1, 0, 1)}}, {{2, rows(1, 5, 6)}}};
  const ListOf list_of = [&](int rank) { return rank == 1 ? other : TransferList{}; };
  Platform faster = two_levels();
  faster.copy_s_per_byte = 3e-6;
  faster.gamma_s_per_byte = 2e-5;
  faster.levels[0].segments[0].alpha_s = 0.25;
  faster.levels[1].segments[0].beta_s_per_byte = 0.03;
  faster.levels[1].gap_s = 1.0;
  for (const ListOf& lists : {ListOf{}, list_of}) {
    for (const bool adds : {false, true}) {
      TransferTraits wanted = traits(1);
      wanted.accumulate = wanted.zero_first = adds;
      const TransferTraffic traffic = transfer_traffic(two_levels(), own, 0, wanted, lists);
      const TransferTime time = transfer_time(faster, traffic);
      const TransferTime expected = transfer_time(faster, own, 0, wanted, lists);
      CHECK(time.link_s == expected.link_s);
      CHECK(time.pack_s == expected.pack_s);
      CHECK(time.unpack_s == expected.unpack_s);
      CHECK(time.link_s < transfer_time(two_levels(), traffic).link_s);
    }
  }
}

TEST_CASE("transfer_time: other ranks use the port during the gaps between a rank's messages") {
  TransferList own{{{2, rows(1, 0, 1)}, {3, rows(1, 0, 1)}}, {}};
  const auto link_s = [&](double gap_s) {
    Platform platform = two_levels();
    platform.levels[1].gap_s = gap_s;
    return transfer_time(platform, own, 0, traits(1), [&](int) { return own; }).link_s;
  };
  CHECK(link_s(0.0) == relative(100 + 6.4 + 6.4));
  CHECK(link_s(5.0) == relative(100 + 6.4 + 6.4));
  CHECK(link_s(7.0) == relative(100 + 6.4 + 7.0));
}

TEST_CASE("transfer_time: only messages of the port's level and direction share it") {
  const Piece piece{.peer = 2, .box = rows(1, 0, 1)};
  CHECK(busy_s(piece, {}) == relative(3.2));
  CHECK(busy_s(piece, {{}, {piece}}) == relative(3.2));
  CHECK(busy_s(piece, {{{0, piece.box}, {1, piece.box}}, {{0, piece.box}}}) == relative(3.2));
  CHECK(busy_s(piece, {{{2, piece.box}, {3, piece.box}}, {}}) == relative(3 * 3.2));
  const ListOf nobody = [](int rank) -> TransferList {
    CHECK(rank == 3);
    return {};
  };
  const TransferList received{{}, {{0, piece.box}}};
  CHECK(transfer_time(two_levels(), received, 2, traits(1), nobody).link_s == relative(103.2));
}

TEST_CASE("transfer_time: only blocks that are not one run of memory are packed and unpacked") {
  const Platform platform = two_levels();
  const Piece one_sample{.peer = 1, .box = rows(1, 0, 2)};
  const Piece two_samples{.peer = 1, .box = rows(2, 0, 2)};
  CHECK(transfer_time(platform, {{one_sample}, {one_sample}}, 0, traits(1)).copy_s() == 0.0);
  CHECK(transfer_time(platform, {{two_samples}, {}}, 0, traits(2)).copy_s() == relative(128e-5));
  CHECK(transfer_time(platform, {{}, {two_samples}}, 0, traits(2)).copy_s() == relative(128e-5));
  const Piece all_rows{.peer = 1, .box = rows(2, 0, 8)};
  CHECK(transfer_time(platform, {{all_rows}, {}}, 0, traits(2)).copy_s() == 0.0);
  CHECK(transfer_time(platform, {{one_sample}, {}}, 0, {}).copy_s() == relative(64e-5));
  const TransferList two_pieces{.sends = {{1, rows(1, 0, 1)}, {1, rows(1, 4, 5)}}, .receives = {}};
  CHECK(transfer_time(platform, two_pieces, 0, traits(1)).copy_s() == relative(64e-5));
}

TEST_CASE("transfer_time: accumulating costs gamma, clearing and local pieces a copy") {
  const Platform platform = two_levels();
  const Piece received{.peer = 1, .box = rows(1, 0, 2)};
  TransferTraits adding = traits(1);
  adding.accumulate = true;
  CHECK(transfer_time(platform, {{}, {received}}, 0, adding).copy_s() == relative(64e-4));
  adding.zero_first = true;
  CHECK(transfer_time(platform, {{}, {received}}, 0, adding).copy_s() ==
        relative(64e-4 + 8 * 32e-5));
  const Piece local{.peer = 0, .box = rows(1, 0, 2)};
  const TransferTime stays = transfer_time(platform, {{local}, {local}}, 0, traits(1));
  CHECK(stays.link_s == 0.0);
  CHECK(stays.copy_s() == relative(64e-5));
}

}  // namespace cnnplan
