// Reads several positions at once. A GPU's memory is busy only while tens of kilobytes are on their
// way to every multiprocessor. If each thread waits for one read before it requests the next, too
// few bytes are on their way.
#pragma once

#include <cstdint>

#include "executor/backend/host_device.hpp"

namespace cnnplan::cudnn {

// The steps are first, first + step, ... below end.
struct Steps {
  std::uint32_t first = 0;
  std::uint32_t step = 1;
  std::uint32_t end = 0;
};

// Calls use(position, item) for all positions in their order, each after reader.read(position). A
// Reader has Item, int batch and Item read(uint32 position).
// @pre end + batch * step < 2^32
template <typename Reader, typename Use>
CNNPLAN_HOST_DEVICE void for_each_item(const Reader& reader, const Steps& steps, const Use& use) {
  constexpr int batch = Reader::batch;
  for (std::uint32_t p = steps.first; p < steps.end; p += batch * steps.step) {
    typename Reader::Item items[batch];
    // The loop has no branch, so no read waits. After the end, the last position is read again.
    for (std::uint32_t i = 0; i < batch; ++i) {
      const std::uint32_t place = p + i * steps.step;
      items[i] = reader.read(place < steps.end ? place : steps.end - 1);
    }
    for (std::uint32_t i = 0; i < batch; ++i) {
      const std::uint32_t place = p + i * steps.step;
      if (place < steps.end) use(place, items[i]);
    }
  }
}

}  // namespace cnnplan::cudnn
