// Sums over the positions of a channels-last block, channel by channel, in one launch. Blocks of
// threads share the positions of a tile (tiles.hpp). The last block that finishes a tile adds the
// sums of all. Every sum is added in a fixed order, so the bits are the same every time.
//
//   a thread   adds strips in the type of the numbers, so short that the sums keep the rule of
//              blocked_sum.hpp, and the strips in double
//   a block    adds its threads in double, and writes the sums to the workspace
//   last block adds the blocks in double, and hands the results on
//
//   reads      the block of the tensor once
//   writes     sums x channels doubles for each block of threads, read again once
#pragma once

#include <algorithm>
#include <cstdint>

#include "executor/backend/cudnn/kernels/batches.hpp"
#include "executor/backend/cudnn/kernels/blocked_sum.hpp"
#include "executor/backend/cudnn/kernels/kernel_call.hpp"
#include "executor/backend/cudnn/kernels/tiles.hpp"

namespace cnnplan::cudnn {

// Returns the bytes that SumScratch::memory must have for `sums` sums per channel, whatever the
// type and the width.
inline std::int64_t sums_workspace_bytes(std::int64_t channels, int sums) {
  const std::int64_t per_block = std::min<std::int64_t>(channels, tile_channels<BFloat16>);
  return most_blocks * sums * per_block * bytes_of(ElementType::fp64);
}

// Holds `sums` different sums, such as a sum and a sum of squares, for each of `width` channels.
template <typename T, int width, int sums>
struct Partial {
  Vector<Computed<T>, width> values[sums];
};

// Is true for terms that need numbers per channel, as a Row of sweep_tiles() does.
template <typename Term>
concept TermWithNumbers = requires {
  typename Term::Numbers;
};

// Holds the numbers of the channels of a tile for those terms that need them.
template <typename Term>
struct NumbersOfTerm {};
template <TermWithNumbers Term>
struct NumbersOfTerm<Term> {
  typename Term::Numbers numbers;
};

// Is a base class of terms that read a vector of channels of one block.
template <typename T, int width>
struct BlockReader {
  static constexpr int batch = 8;

  Positions positions;
  Block<const T> x;
  std::uint32_t channel = 0;

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel) { channel = first_channel; }
  CNNPLAN_HOST_DEVICE Vector<T, width> read(std::uint32_t index) const {
    return fetch<width>(x.at(positions.place(index)) + channel);
  }
};

// Is true for terms that first add the terms of a batch to each other, so that a strip may be
// longer.
template <typename Term, typename Sums>
concept TermWithBatches = requires(Term term, const Batch<Term>& batch, Sums& own) {
  term.add_batch(batch, own);
};

// Is true for terms that need not read all channels. is_needed() is called after begin().
template <typename Term>
concept TermOfSomeChannels = requires(const Term& term) {
  term.is_needed();
};

// Adds the terms of a batch to `own`. A Term is a reader (batches.hpp) with void begin(uint32
// first_channel), or with Numbers, prepare() and begin() as a Row of sweep_tiles() has. It has void
// add(uint32 position, Item, Partial&) or void add_batch(Batch, Partial&).
template <typename Term, typename Sums>
CNNPLAN_HOST_DEVICE void add_batch(Term& term, const Batch<Term>& batch, Sums& own) {
  if constexpr (TermWithBatches<Term, Sums>) {
    term.add_batch(batch, own);
  } else {
    batch.for_each([&](std::uint32_t p, const auto& item) { term.add(p, item, own); });
  }
}

// Returns sum k of channel i of a strip. A Term may make it of several sums: double total(const
// Partial&, int k, int i).
template <typename T, int width, int sums, typename Term>
CNNPLAN_HOST_DEVICE double strip_total(const Term& term,
                                       const Partial<T, width, sums>& own,
                                       int k,
                                       int i) {
  if constexpr (requires { term.total(own, k, i); }) {
    return term.total(own, k, i);
  } else {
    return own.values[k].values[i];
  }
}

// Is the body of column_sums(). A total is one sum of one channel of the tile.
template <typename T, int width, int sums, typename Term, typename Result>
struct SumTiles {
  static constexpr int stages = 6;
  static constexpr int totals_per_thread = sums * width;
  using Sums = Partial<T, width, sums>;

  struct Shared : NumbersOfTerm<Term> {
    double totals[totals_per_thread][threads_per_block];
    bool is_last;
  };
  // Blocks share the positions of a tile only where there are two blocks for each tile.
  static_assert(most_blocks / 2 <= arrival_counters);
  static_assert(sums * tile_channels<T> <= int{threads_per_block});

  Tiles tiles;
  Term term;
  Result result;
  double* written;         // (blocks, totals of a tile)
  std::uint32_t* arrived;  // by tile

  template <int stage>
  CNNPLAN_HOST_DEVICE void run(BlockThread at, Shared& shared) const {
    if constexpr (stage == 0 && TermWithNumbers<Term>) {
      prepare_tile(tiles, term, at, shared.numbers);
    }
    if constexpr (stage == 1) add_positions(at, shared);
    if constexpr (stage == 2) add_threads(at, shared);
    if constexpr (stage == 3) arrive(at, shared);
    if constexpr (stage == 4) add_blocks(at, shared);
    if constexpr (stage == 5) finish(at, shared);
  }

 private:
  CNNPLAN_HOST_DEVICE std::uint32_t totals_per_tile() const {
    return sums * tiles.channels_per_tile();
  }
  CNNPLAN_HOST_DEVICE double* written_by(std::uint32_t sharer, std::uint32_t tile) const {
    const std::uint32_t block = sharer * tiles.tiles.divisor() + tile;
    return written + std::int64_t{block} * totals_per_tile();
  }
  // Hands on one total. The quotient of its number and the vectors of the tile says which sum of
  // which channel of a vector it is, and the remainder is the vector.
  CNNPLAN_HOST_DEVICE void hand_on(BlockThread at, std::uint32_t total, double value) const {
    const auto [place, vector] = divide(total, tiles.vectors);
    const std::uint32_t channel =
        tiles.tile_of(at) * tiles.channels_per_tile() + vector * width + place % width;
    if (channel < tiles.channels) result.set(place / width, channel, value);
  }

  CNNPLAN_HOST_DEVICE void add_positions(BlockThread at, Shared& shared) const {
    for (int i = 0; i < totals_per_thread; ++i) shared.totals[i][at.thread] = 0.0;
    const ThreadShare share = tiles.share_of(at);
    if (share.is_empty) return;
    Term reader = term;
    if constexpr (TermWithNumbers<Term>) {
      reader.begin(share.channel, share.channel_in_tile, shared.numbers);
    } else {
      reader.begin(share.channel);
    }
    if constexpr (TermOfSomeChannels<Term>) {
      if (!reader.is_needed()) return;
    }
    constexpr std::uint32_t terms = TermWithBatches<Term, Sums> ? terms_per_strip : terms_per_chain;
    const std::uint32_t strip_length = terms * share.steps.step;
    for (std::uint32_t p = share.steps.first; p < share.steps.end; p += strip_length) {
      const std::uint32_t end =
          p + strip_length < share.steps.end ? p + strip_length : share.steps.end;
      add_strip(reader, {p, share.steps.step, end}, at, shared);
    }
  }
  CNNPLAN_HOST_DEVICE void add_strip(const Term& first,
                                     const Steps& steps,
                                     BlockThread at,
                                     Shared& shared) const {
    Term reader = first;
    Sums own{};
    for_each_batch(reader, steps, [&](const Batch<Term>& batch) { add_batch(reader, batch, own); });
    for (int k = 0; k < sums; ++k) {
      for (int i = 0; i < width; ++i) {
        shared.totals[k * width + i][at.thread] += strip_total<T, width, sums>(reader, own, k, i);
      }
    }
  }

  CNNPLAN_HOST_DEVICE void add_threads(BlockThread at, const Shared& shared) const {
    if (at.thread >= totals_per_tile()) return;
    const auto [place, vector] = divide(at.thread, tiles.vectors);
    double sum = 0.0;
    for (std::uint32_t row = 0; row < tiles.rows; ++row) {
      sum += shared.totals[place][row * tiles.vectors.divisor() + vector];
    }
    if (tiles.sharers == 1) return hand_on(at, at.thread, sum);
    written_by(tiles.sharer_of(at), tiles.tile_of(at))[at.thread] = sum;
  }

  CNNPLAN_HOST_DEVICE void arrive(BlockThread at, Shared& shared) const {
    if (at.thread > 0) return;
    shared.is_last = tiles.sharers > 1 && arrives_last(arrived + tiles.tile_of(at), tiles.sharers);
  }

  // Threads `total`, total + totals_per_tile() and so on each add some of the blocks.
  CNNPLAN_HOST_DEVICE void add_blocks(BlockThread at, Shared& shared) const {
    if (!shared.is_last) return;
    const std::uint32_t groups = threads_per_block / totals_per_tile();
    const std::uint32_t group = at.thread / totals_per_tile();
    if (group >= groups) return;
    const WrittenTotals reader{written_by(0, tiles.tile_of(at)) + at.thread % totals_per_tile(),
                               std::int64_t{tiles.tiles.divisor()} * totals_per_tile()};
    double sum = 0.0;
    for_each_item(reader, {group, groups, tiles.sharers}, [&sum](std::uint32_t, double value) {
      sum += value;
    });
    shared.totals[0][at.thread] = sum;
  }

  CNNPLAN_HOST_DEVICE void finish(BlockThread at, const Shared& shared) const {
    if (!shared.is_last || at.thread >= totals_per_tile()) return;
    double sum = 0.0;
    const std::uint32_t end = threads_per_block / totals_per_tile() * totals_per_tile();
    for (std::uint32_t i = at.thread; i < end; i += totals_per_tile()) sum += shared.totals[0][i];
    hand_on(at, at.thread, sum);
  }

  // Reads one total of each block that shares a tile.
  struct WrittenTotals {
    using Item = double;
    static constexpr int batch = 16;

    const double* first;
    std::int64_t stride;

    CNNPLAN_HOST_DEVICE double read(std::uint32_t sharer) const { return first[sharer * stride]; }
  };
};

// Sums `term` (see add_batch) over all positions, and hands the `sums` sums of each channel to
// `result`, which has void set(int sum, uint32 channel, double value). T is the type of the numbers
// in memory. An empty block gives sums of zero. @pre `width` divides the channels, and channels > 0
// @throws as launch_blocks()
template <typename T, int width, int sums, typename Term, typename Result>
void column_sums(const SumScratch& scratch,
                 std::int64_t positions,
                 std::int64_t channels,
                 const Term& term,
                 const Result& result) {
  const Tiles tiles = Tiles::of<T, width>(positions, channels);
  launch_blocks(scratch.stream,
                tiles.blocks(),
                SumTiles<T, width, sums, Term, Result>{
                    tiles, term, result, static_cast<double*>(scratch.memory), scratch.arrived});
}

}  // namespace cnnplan::cudnn
