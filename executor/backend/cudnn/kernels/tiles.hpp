// Splits a block of a tensor among blocks of threads, for kernels that need numbers per channel or
// sum over positions. A tile is a group of neighbouring channels. Threads of a block take one tile
// and every so many positions.
#pragma once

#include <algorithm>
#include <cstdint>

#include "executor/backend/cudnn/kernels/batches.hpp"
#include "executor/backend/cudnn/kernels/launch.hpp"
#include "executor/backend/cudnn/kernels/positions.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"

namespace cnnplan::cudnn {

// A launch has at most this number of blocks, unless there are more tiles. An H100 and an H200 run
// that many at the same time. The number does not depend on the device, so neither do sums.
inline constexpr std::int64_t most_blocks = 264;
// A tile is at most this wide, because GPUs read memory in lines of this size.
inline constexpr std::int64_t tile_bytes = 128;
template <typename T>
inline constexpr int tile_channels = tile_bytes / sizeof(T);
// A thread takes this number of positions if there are few.
inline constexpr std::int64_t least_positions_per_thread = 4;

// Says what one thread takes: `width` channels from `channel` on, at the positions `steps`.
struct ThreadShare {
  bool is_empty = true;
  std::uint32_t channel = 0;
  std::uint32_t channel_in_tile = 0;
  Steps steps;
};

// Says how a launch splits positions and channels.
struct Tiles {
  std::uint32_t positions = 0;
  std::uint32_t channels = 0;
  std::uint32_t width = 1;    // channels that a thread takes at once
  Divider vectors;            // of a tile
  Divider tiles;              // groups of channels
  std::uint32_t rows = 1;     // positions that a block of threads takes at once
  std::uint32_t sharers = 1;  // blocks that share the positions of a tile

  // T is the type of the elements in memory.
  // @pre vector_width divides the channels, and 0 < channel_count
  // @throws as require_launchable()
  template <typename T, int vector_width>
  static Tiles of(std::int64_t position_count, std::int64_t channel_count) {
    require_launchable(position_count);
    const std::int64_t vectors =
        std::min<std::int64_t>(tile_channels<T>, channel_count) / vector_width;
    const std::int64_t tile = vectors * vector_width;
    const std::int64_t tiles = (channel_count + tile - 1) / tile;
    const std::int64_t rows = threads_per_block / vectors;
    const std::int64_t shares = rows * least_positions_per_thread;
    const std::int64_t sharers = std::clamp<std::int64_t>(
        (position_count + shares - 1) / shares, 1, std::max<std::int64_t>(most_blocks / tiles, 1));
    return {.positions = static_cast<std::uint32_t>(position_count),
            .channels = static_cast<std::uint32_t>(channel_count),
            .width = vector_width,
            .vectors = Divider(vectors),
            .tiles = Divider(tiles),
            .rows = static_cast<std::uint32_t>(rows),
            .sharers = static_cast<std::uint32_t>(sharers)};
  }

  std::int64_t blocks() const { return std::int64_t{tiles.divisor()} * sharers; }
  CNNPLAN_HOST_DEVICE std::uint32_t channels_per_tile() const { return vectors.divisor() * width; }
  // Returns the number of the tile, and of the block among those that share it.
  CNNPLAN_HOST_DEVICE std::uint32_t tile_of(BlockThread at) const {
    return divide(at.block, tiles).remainder;
  }
  CNNPLAN_HOST_DEVICE std::uint32_t sharer_of(BlockThread at) const {
    return divide(at.block, tiles).quotient;
  }
  CNNPLAN_HOST_DEVICE ThreadShare share_of(BlockThread at) const {
    const auto [row, vector] = divide(at.thread, vectors);
    ThreadShare share;
    share.channel_in_tile = vector * width;
    share.channel = tile_of(at) * channels_per_tile() + share.channel_in_tile;
    share.steps = {sharer_of(at) * rows + row, sharers * rows, positions};
    share.is_empty = row >= rows || share.channel >= channels;
    return share;
  }
};

// Holds `count` numbers for each channel of a tile, in memory that a block of threads shares.
template <typename T, int count>
struct TileNumbers {
  alignas(vector_bytes * 2) Computed<T> values[count][tile_channels<T>];

  // Returns number k of each of `width` channels.
  template <int width>
  CNNPLAN_HOST_DEVICE Vector<Computed<T>, width> of(int k, std::uint32_t channel_in_tile) const {
    return fetch<width>(&values[k][channel_in_tile]);
  }
};

// Has each thread compute the numbers of at most one channel of the tile: work.prepare(channel,
// channel in the tile, numbers, whether it is the first block of the tile).
template <typename Work, typename Numbers>
CNNPLAN_HOST_DEVICE void prepare_tile(const Tiles& tiles,
                                      const Work& work,
                                      BlockThread at,
                                      Numbers& numbers) {
  const std::uint32_t channel = tiles.tile_of(at) * tiles.channels_per_tile() + at.thread;
  if (at.thread >= tiles.channels_per_tile() || channel >= tiles.channels) return;
  work.prepare(channel, at.thread, numbers, tiles.sharer_of(at) == 0);
}

// Is the body of sweep_tiles().
template <typename Row>
struct SweepTiles {
  using Shared = typename Row::Numbers;
  static constexpr int stages = 2;

  Tiles tiles;
  Row row;

  template <int stage>
  CNNPLAN_HOST_DEVICE void run(BlockThread at, Shared& numbers) const {
    if constexpr (stage == 0) {
      prepare_tile(tiles, row, at, numbers);
    } else {
      const ThreadShare share = tiles.share_of(at);
      if (share.is_empty) return;
      Row own = row;
      own.begin(share.channel, share.channel_in_tile, numbers);
      for_each_item(
          own, share.steps, [&own](std::uint32_t p, const auto& item) { own.run(p, item); });
    }
  }
};

// Runs `row` for every position, for a vector of channels at a time. A Row is a reader
// (batches.hpp). It has a type Numbers, which is a TileNumbers, prepare() as prepare_tile() calls
// it, void begin(uint32 channel, uint32 channel in the tile, const Numbers&), and void run(uint32
// position, Item). The work is one launch in `stream`. @throws as launch_blocks()
template <typename Row>
void sweep_tiles(cudaStream_t stream, const Tiles& tiles, const Row& row) {
  launch_blocks(stream, tiles.blocks(), SweepTiles<Row>{tiles, row});
}

}  // namespace cnnplan::cudnn
