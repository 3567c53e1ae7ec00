// Sums over the positions of a channels-last block, channel by channel, without shared memory or
// atomic operations. Neighbouring threads take neighbouring channels of one strip of positions. The
// sums of the strips are added in a fixed order, so the bits are the same every time. A strip is so
// short that the sums keep the rule of blocked_sum.hpp.
//
//   reads  the block once
//   writes strips x sums x channels numbers, read again by the second stage
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "executor/backend/cudnn/kernels/batches.hpp"
#include "executor/backend/cudnn/kernels/blocked_sum.hpp"
#include "executor/backend/cudnn/kernels/launch.hpp"
#include "executor/backend/cudnn/kernels/positions.hpp"
#include "executor/backend/cudnn/kernels/vectors.hpp"

namespace cnnplan::cudnn {

// Says how the positions of a block are split. A strip is every strips-th position.
struct Strips {
  std::int64_t positions = 0;  // of the block
  std::int64_t channels = 0;   // of the block
  std::int64_t strips = 0;     // that the first stage sums
  std::int64_t folds = 0;      // groups of strips, whose sums the second stage adds

  // This number of threads keeps a large GPU's memory busy, if each reads several positions.
  static constexpr std::int64_t threads = std::int64_t{1} << 16;
  static constexpr std::int64_t least_folds = 64;  // or as many as there are strips

  // `width` channels are summed by one thread.
  Strips(std::int64_t position_count, std::int64_t channel_count, int width)
      : positions(position_count), channels(channel_count) {
    const std::int64_t vectors = std::max<std::int64_t>(channel_count / width, 1);
    const std::int64_t least = (positions + terms_per_strip - 1) / terms_per_strip;
    strips = std::clamp<std::int64_t>(
        std::max(threads / vectors, least), 1, std::max<std::int64_t>(positions, 1));
    // The second and the third stage add about the same number of terms.
    const auto balanced = static_cast<std::int64_t>(std::sqrt(static_cast<double>(strips)));
    folds = std::min(strips, std::max(least_folds, balanced));
  }
  // Returns the bytes of workspace that column_sums() needs for `sums` sums per channel, whatever
  // the width.
  static std::int64_t workspace_bytes(std::int64_t positions, std::int64_t channels, int sums) {
    const Strips most(positions, channels, full_width<BFloat16>);
    return (most.strips + most.folds) * sums * channels * bytes_of(ElementType::fp64);
  }
};

// Holds `sums` different sums, such as a sum and a sum of squares, for each of `width` channels.
template <typename Number, int width, int sums>
struct SumsOf {
  Vector<Number, width> values[sums];
};
// Holds the sums of one strip or of one batch.
template <typename T, int width, int sums>
using Partial = SumsOf<Computed<T>, width, sums>;

// Is a base class of terms that read a vector of channels of one block.
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

// Adds the terms of a batch to each other, and then their sums to `own`. A Term is a reader
// (batches.hpp) with void begin(uint32 first_channel), and void add(uint32 position, Item,
// Partial&) or void add_batch(Batch, Partial&).
template <typename T, int width, int sums, typename Term>
CNNPLAN_HOST_DEVICE void add_batch(Term& term,
                                   const Batch<Term>& batch,
                                   Partial<T, width, sums>& own) {
  if constexpr (requires { term.add_batch(batch, own); }) {
    term.add_batch(batch, own);
  } else {
    Partial<T, width, sums> fresh{};
    batch.for_each([&](std::uint32_t p, const auto& item) { term.add(p, item, fresh); });
    for (int k = 0; k < sums; ++k) {
      for (int i = 0; i < width; ++i) own.values[k].values[i] += fresh.values[k].values[i];
    }
  }
}

// Is the body of the first stage: a thread sums one strip for one vector of channels.
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
    for_each_batch(reader, {strip, strips, positions}, [&](const Batch<Term>& batch) {
      add_batch<T, width, sums>(reader, batch, own);
    });
    for (std::int64_t k = 0; k < sums; ++k) {
      store<width>(partial + (k * strips + strip) * channels + channel, own.values[k]);
    }
  }
};

// Reads the sums of the strips for one channel.
template <typename Number, int sums>
struct StripReader {
  using Item = SumsOf<Number, 1, sums>;
  static constexpr int batch = 8;

  const Number* first;
  std::int64_t channels;
  std::uint32_t strips;

  CNNPLAN_HOST_DEVICE Item read(std::uint32_t strip) const {
    Item item;
    for (std::int64_t k = 0; k < sums; ++k) {
      item.values[k].values[0] = first[(k * strips + strip) * channels];
    }
    return item;
  }
};

// Adds up the sums of strips. This is the default for the parameter `Added` of column_sums().
// Another type with these functions may compute other totals from strips (AddedMoments in
// batch_norm_forward.cu).
template <int sums>
struct AddedStrips {
  double totals[sums] = {};

  explicit AddedStrips(const Strips&) {}
  template <typename Number>
  CNNPLAN_HOST_DEVICE void add(std::uint32_t, const SumsOf<Number, 1, sums>& strip) {
    for (int k = 0; k < sums; ++k) totals[k] += strip.values[k].values[0];
  }
  CNNPLAN_HOST_DEVICE void finish() {}
};

// Is the body of the second stage: for one channel, a thread adds the strips with the numbers fold,
// fold + folds, and so on.
template <typename Number, int sums, typename Added>
struct FoldStrips {
  const Number* partial;
  double* folded;  // (sums, folds, channels)
  Divider channels;
  std::uint32_t folds;
  std::uint32_t strips;
  Added none;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [fold, channel] = divide(index, channels);
    const std::int64_t stride = channels.divisor();
    const StripReader<Number, sums> reader{partial + channel, stride, strips};
    Added added = none;
    for_each_item(reader, {fold, folds, strips}, [&added](std::uint32_t strip, const auto& item) {
      added.add(strip, item);
    });
    added.finish();
    for (std::int64_t k = 0; k < sums; ++k) folded[k * folds * stride + index] = added.totals[k];
  }
};

// Reads the numbers of one column of a matrix, whose rows are `stride` doubles apart.
struct Column {
  using Item = double;
  static constexpr int batch = 8;

  const double* first;
  std::int64_t stride;

  CNNPLAN_HOST_DEVICE double read(std::uint32_t row) const { return first[row * stride]; }
};

// Is the body of the third stage: a thread adds the folds of one channel and hands the sum to
// `result`. A Result has void set(int sum, uint32 channel, double value).
template <typename Result>
struct FinishSums {
  const double* folded;
  Divider channels;
  std::uint32_t folds;
  Result result;

  CNNPLAN_HOST_DEVICE void operator()(std::uint32_t index) const {
    const auto [k, channel] = divide(index, channels);
    const std::int64_t stride = channels.divisor();
    const Column column{folded + std::int64_t{k} * folds * stride + channel, stride};
    double sum = 0.0;
    for_each_item(column, {0, 1, folds}, [&sum](std::uint32_t, double value) { sum += value; });
    result.set(k, channel, sum);
  }
};

// Sums `term` (see add_batch) over all positions, and hands the `sums` sums of each channel to
// `result` (see FinishSums). T is the type of the numbers in memory. `Added` adds strips in the
// second stage, as AddedStrips does. `workspace` has Strips::workspace_bytes. The work of all three
// stages is put in `stream`. An empty block gives sums of zero.
// @pre `width` divides the channels, and `strips` was made with it. @throws as launch()
template <typename T,
          int width,
          int sums,
          typename Added = AddedStrips<sums>,
          typename Term,
          typename Result>
void column_sums(cudaStream_t stream,
                 const Strips& strips,
                 void* workspace,
                 const Term& term,
                 const Result& result) {
  require_launchable(strips.positions);
  auto* folded = static_cast<double*>(workspace);
  auto* partial = reinterpret_cast<Computed<T>*>(folded + strips.folds * sums * strips.channels);
  const Divider channels(strips.channels);
  const auto strip_count = static_cast<std::uint32_t>(strips.strips);
  const auto folds = static_cast<std::uint32_t>(strips.folds);
  const std::int64_t vectors = strips.channels / width;
  launch(stream,
         strips.strips * vectors,
         SumStrips<T, width, sums, Term>{term,
                                         Divider(vectors),
                                         static_cast<std::uint32_t>(strips.positions),
                                         strip_count,
                                         strips.channels,
                                         partial});
  launch(stream,
         strips.folds * strips.channels,
         FoldStrips<Computed<T>, sums, Added>{
             partial, folded, channels, folds, strip_count, Added(strips)});
  launch(stream, sums * strips.channels, FinishSums<Result>{folded, channels, folds, result});
}

}  // namespace cnnplan::cudnn
