// Reads several positions at once. A GPU's memory is busy only while tens of kilobytes are on their
// way to every multiprocessor. If each thread waits for one read before it requests the next, too
// few bytes are on their way.
#pragma once

#include <cstdint>

#include "executor/backend/host_device.hpp"

namespace cnnplan::cudnn {

// Holds the positions that a thread takes: first, first + step, ... below end.
struct Steps {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t end = 0;
};

// Holds what a reader read at Reader::batch consecutive steps. Items of steps at or after `end` are
// repetitions that do not count.
template <typename Reader>
struct Batch {
  typename Reader::Item items[Reader::batch];
  Steps steps;

  // Calls use(position, item) for each item that counts, in the order of positions.
  template <typename Use>
  CNNPLAN_HOST_DEVICE void for_each(const Use& use) const {
    for (std::uint32_t i = 0; i < Reader::batch; ++i) {
      const std::uint32_t place = steps.first + i * steps.step;
      if (place < steps.end) use(place, items[i]);
    }
  }
};

// Reads all steps, a batch at a time, and calls use(batch) for each batch in the order of
// positions. A Reader has a type Item, a constant int batch, and Item read(uint32 position).
// @pre end + batch * step < 2^32
template <typename Reader, typename Use>
CNNPLAN_HOST_DEVICE void for_each_batch(const Reader& reader, const Steps& steps, const Use& use) {
  for (std::uint32_t p = steps.first; p < steps.end; p += Reader::batch * steps.step) {
    Batch<Reader> batch;
    batch.steps = {p, steps.step, steps.end};
    // The loop has no branch, so no read waits. After the end, the last position is read again.
    for (std::uint32_t i = 0; i < Reader::batch; ++i) {
      const std::uint32_t place = p + i * steps.step;
      batch.items[i] = reader.read(place < steps.end ? place : steps.end - 1);
    }
    use(batch);
  }
}

// Calls use(position, item) for all positions in their order, each after reader.read(position).
// @pre end + batch * step < 2^32
template <typename Reader, typename Use>
CNNPLAN_HOST_DEVICE void for_each_item(const Reader& reader, const Steps& steps, const Use& use) {
  for_each_batch(reader, steps, [&use](const Batch<Reader>& batch) { batch.for_each(use); });
}

}  // namespace cnnplan::cudnn
