// Tests how channels and positions are split among blocks of threads.
#include "executor/backend/cudnn/kernels/tiles.hpp"

#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/kernels/column_sums.hpp"

namespace cnnplan::cudnn {
namespace {

// Calls f(Tiles) for types of elements and widths of vectors that divide the channels.
template <typename F>
void for_each_tiling(std::int64_t positions, std::int64_t channels, const F& f) {
  f(Tiles::of<BFloat16, 1>(positions, channels));
  f(Tiles::of<float, 1>(positions, channels));
  f(Tiles::of<double, 1>(positions, channels));
  if (channels % 4 == 0) f(Tiles::of<BFloat16, 4>(positions, channels));
  if (channels % 4 == 0) f(Tiles::of<float, 4>(positions, channels));
  if (channels % 8 == 0) f(Tiles::of<BFloat16, 8>(positions, channels));
}

// Counts how often a thread takes each channel of each position.
std::vector<int> times_taken(const Tiles& tiles) {
  std::vector<int> times(std::size_t{tiles.positions} * tiles.channels);
  for (std::uint32_t block = 0; block < tiles.blocks(); ++block) {
    for (std::uint32_t thread = 0; thread < threads_per_block; ++thread) {
      const ThreadShare share = tiles.share_of({block, thread});
      if (share.is_empty) continue;
      for (std::uint32_t p = share.steps.first; p < share.steps.end; p += share.steps.step) {
        for (std::uint32_t i = 0; i < tiles.width; ++i) {
          ++times[std::size_t{p} * tiles.channels + share.channel + i];
        }
      }
    }
  }
  return times;
}

}  // namespace

TEST_CASE("Tiles: exactly one thread takes each channel of each position") {
  for (std::int64_t positions : {0, 1, 5, 100, 3000}) {
    for (std::int64_t channels : {1, 3, 8, 20, 64, 72, 200}) {
      CAPTURE(positions);
      CAPTURE(channels);
      for_each_tiling(positions, channels, [&](const Tiles& tiles) {
        CAPTURE(tiles.width);
        const std::vector<int> once(std::size_t{tiles.positions} * tiles.channels, 1);
        CHECK(times_taken(tiles) == once);
      });
    }
  }
}

TEST_CASE("Tiles: blocks that share a tile have counters and room for their sums") {
  for (std::int64_t positions : {0, 1, 129, 1000000, 2000000000}) {
    for (std::int64_t channels : {1, 4, 64, 2048, 40000, 1000000}) {
      CAPTURE(positions);
      CAPTURE(channels);
      for_each_tiling(positions, channels, [&](const Tiles& tiles) {
        CHECK(tiles.blocks() >= tiles.tiles.divisor());
        if (tiles.sharers == 1) return;
        CHECK(tiles.blocks() <= most_blocks);
        CHECK(tiles.tiles.divisor() <= arrival_counters);
        const std::int64_t doubles = tiles.blocks() * tiles.channels_per_tile();
        CHECK(2 * doubles * bytes_of(ElementType::fp64) <= sums_workspace_bytes(channels, 2));
      });
    }
  }
}

TEST_CASE("Tiles: many positions keep all blocks busy, and few positions need few blocks") {
  CHECK(Tiles::of<BFloat16, 8>(std::int64_t{256} * 112 * 112, 64).blocks() == 264);
  CHECK(Tiles::of<BFloat16, 8>(std::int64_t{256} * 7 * 7, 2048).blocks() == 256);
  CHECK(Tiles::of<BFloat16, 8>(16, 64).blocks() == 1);
}

}  // namespace cnnplan::cudnn
