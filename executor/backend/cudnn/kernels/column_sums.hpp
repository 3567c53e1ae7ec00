// Sums over the positions of a channels-last block, channel by channel, without shared memory or
// atomic operations. Neighbouring threads take neighbouring channels of one strip of positions. The
// sums of the strips are added in a fixed order, so the bits are the same every time.
//
//   reads  the block once
//   writes strips x sums x channels numbers, read again by the second stage
#pragma once

#include <algorithm>
#include <cstdint>

#include "executor/backend/cudnn/kernels/batches.hpp"
#include "executor/backend/cudnn/kernels/launch.hpp"
#include "executor/backend/cudnn/kernels/positions.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"

namespace cnnplan::cudnn {

// Says how the positions are split.
struct Strips {
  std::int64_t positions = 0;
  std::int64_t channels = 0;
  std::int64_t strips = 0;
  std::int64_t folds = 0;  // groups of strips that the second stage adds

  // This number of threads keeps a large GPU's memory busy, if each reads several positions.
  static constexpr std::int64_t threads = std::int64_t{1} << 16;
  static constexpr std::int64_t most_folds = 64;

  Strips(std::int64_t position_count, std::int64_t channel_count, int width)
      : positions(position_count), channels(channel_count) {
    const std::int64_t vectors = std::max<std::int64_t>(channel_count / width, 1);
    strips = std::clamp<std::int64_t>(threads / vectors, 1, std::max<std::int64_t>(positions, 1));
    folds = std::min(strips, most_folds);
  }
  // Returns the memory for `sums` sums per channel, for any width.
  static std::int64_t workspace_bytes(std::int64_t positions, std::int64_t channels, int sums) {
    const Strips most(positions, channels, full_width<BFloat16>);
    return (most.strips + most.folds) * sums * channels * bytes_of(ElementType::fp64);
  }
};

// The first stage sums strips. A Term is a reader (batches.hpp) with void begin(uint32
// first_channel) and void add(uint32 position, Item, Partial&).
template <typename T, int width, int sums>
struct Partial {
  Vector<Computed<T>, width> values[sums];
};

// Is the base of terms that read one block.
template <typename T, int width>
struct BlockReader {
  static constexpr int batch = 8;

  Positions positions;
  Block<const T> x;
  std::uint32_t channel = 0;

  CNNPLAN_HOST_DEVICE void begin(std::uint32_t first_channel) { channel = first_channel; }
  CNNPLAN_HOST_DEVICE Vector<T, width> read(std::uint32_t index) const {
    return fetch<width>(x.at(positions.at(index)) + channel);
  }
};

template <typename T, int width, int sums, typename Term>
struct SumStrips {
  Term term;
  Divider vectors;
  std::uint32_t positions;
  std::uint32_t strips;
  std::int64_t channels;
  Computed<T>* partial;  // (sums, strips, channels)

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [strip, vector] = divide(index, vectors);
    const std::uint32_t channel = vector * width;
    Partial<T, width, sums> own{};
    Term reader = term;  // keeps what it knows of the channels in registers
    reader.begin(channel);
    for_each_item(reader, {strip, strips, positions}, [&](std::uint32_t p, const auto& item) {
      reader.add(p, item, own);
    });
    for (std::int64_t k = 0; k < sums; ++k) {
      store<width>(partial + (k * strips + strip) * channels + channel, own.values[k]);
    }
  }
};

// Reads the numbers of one column.
template <typename Number>
struct Column {
  using Item = Number;
  static constexpr int batch = 8;

  const Number* first;
  std::int64_t stride;

  CNNPLAN_HOST_DEVICE Number read(std::uint32_t row) const { return first[row * stride]; }
};

// The second stage adds the strips with the numbers fold, fold + folds, ... for one sum of one
// channel.
template <typename Number>
struct FoldStrips {
  const Number* partial;
  double* folded;  // (sums, folds, channels)
  Divider channels;
  Divider folds;
  std::uint32_t strips;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [row, channel] = divide(index, channels);
    const auto [k, fold] = divide(row, folds);
    const std::int64_t stride = channels.divisor();
    const Column<Number> column{partial + std::int64_t{k} * strips * stride + channel, stride};
    double sum = 0.0;
    for_each_item(column, {fold, folds.divisor(), strips}, [&sum](std::uint32_t, Number value) {
      sum += value;
    });
    folded[index] = sum;
  }
};

// The third stage hands the sum to `result`. A Result has void set(int sum, uint32 channel, double
// value).
template <typename Result>
struct FinishSums {
  const double* folded;
  Divider channels;
  std::uint32_t folds;
  Result result;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [k, channel] = divide(index, channels);
    const std::int64_t stride = channels.divisor();
    const Column<double> column{folded + std::int64_t{k} * folds * stride + channel, stride};
    double sum = 0.0;
    for_each_item(column, {0, 1, folds}, [&sum](std::uint32_t, double value) { sum += value; });
    result.set(k, channel, sum);
  }
};

// `workspace` has Strips::workspace_bytes. An empty block gives sums of zero.
template <typename T, int width, int sums, typename Term, typename Result>
void column_sums(cudaStream_t stream,
                 const Strips& strips,
                 void* workspace,
                 const Term& term,
                 const Result& result) {
  require_launchable(strips.positions);
  auto* folded = static_cast<double*>(workspace);
  auto* partial = reinterpret_cast<Computed<T>*>(folded + strips.folds * sums * strips.channels);
  const Divider channels(strips.channels);
  const std::int64_t vectors = strips.channels / width;
  launch(stream,
         strips.strips * vectors,
         SumStrips<T, width, sums, Term>{term,
                                         Divider(vectors),
                                         static_cast<std::uint32_t>(strips.positions),
                                         static_cast<std::uint32_t>(strips.strips),
                                         strips.channels,
                                         partial});
  launch(stream,
         strips.folds * sums * strips.channels,
         FoldStrips<Computed<T>>{partial,
                                 folded,
                                 channels,
                                 Divider(strips.folds),
                                 static_cast<std::uint32_t>(strips.strips)});
  launch(stream,
         sums * strips.channels,
         FinishSums<Result>{folded, channels, static_cast<std::uint32_t>(strips.folds), result});
}

}  // namespace cnnplan::cudnn
