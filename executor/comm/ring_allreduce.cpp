// The ring, written against a link: messages and shared memory run the same steps.
#include "executor/comm/ring_allreduce.hpp"

#include <algorithm>
#include <cstring>

#include "executor/backend/sum_kernels.hpp"
#include "planner/model/distribution.hpp"

namespace cnnplan {
namespace {

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

template <typename T>
std::size_t bytes_of(const RingHop& hop) {
  return static_cast<std::size_t>(hop.count) * sizeof(T);
}

template <typename T>
void take(T* own, const T* received, const RingHop& hop) {
  if (hop.adds) {
    add(own, received, hop.count);
  } else {
    std::memcpy(own, received, bytes_of<T>(hop));
  }
}

// In one pass over the chunk.
template <typename T>
void take_and_forward(T* own, const T* received, T* forward, const RingHop& hop) {
  if (!hop.receives) {
    std::memcpy(forward, own, bytes_of<T>(hop));
  } else if (hop.adds) {
    add_and_forward(own, received, forward, hop.count);
  } else {
    copy_and_forward(own, received, forward, hop.count);
  }
}

template <typename T>
void run_hop(std::span<T> values, RingLink& link, const RingHop& hop) {
  T* own = values.data() + hop.begin;
  std::byte* forward = hop.sends ? link.outgoing() : nullptr;
  const T* received = hop.receives ? reinterpret_cast<const T*>(link.incoming()) : nullptr;
  if (hop.sends && !link.streams(bytes_of<T>(hop))) {
    take_and_forward(own, received, reinterpret_cast<T*>(forward), hop);
  } else {
    if (hop.receives) take(own, received, hop);
    if (hop.sends) stream(forward, reinterpret_cast<const std::byte*>(own), bytes_of<T>(hop));
  }
  if (hop.sends) link.send(bytes_of<T>(hop));
  if (hop.receives) link.release();
}

// Announces the chunks to come, a bounded number ahead of the hop that takes them.
class Announcer {
 public:
  Announcer(const RingHops& hops, RingLink& link, std::size_t element_bytes)
      : hops_(hops), link_(link), element_bytes_(element_bytes) {}

  void advance() {
    for (; next_ < hops_.size() && ahead_ < link_.chunks_in_flight(); ++next_) {
      const RingHop hop = hops_[next_];
      if (!hop.receives || hop.count == 0) continue;
      link_.expect(static_cast<std::size_t>(hop.count) * element_bytes_);
      ++ahead_;
    }
  }
  void taken() { --ahead_; }

 private:
  const RingHops& hops_;
  RingLink& link_;
  std::size_t element_bytes_;
  std::int64_t next_ = 0;
  int ahead_ = 0;
};

template <typename T>
void allreduce(std::span<T> values, RingLink& link, int rank, int ranks) {
  const RingShape shape{.elements = static_cast<std::int64_t>(values.size()),
                        .ranks = ranks,
                        .chunk_elements = static_cast<std::int64_t>(link.chunk_bytes() / sizeof(T)),
                        .chunks_per_block = link.chunks_in_flight()};
  const RingHops hops(shape, rank);
  link.begin(values.size_bytes());
  Announcer announcer(hops, link, sizeof(T));
  for (std::int64_t i = 0; i < hops.size(); ++i) {
    const RingHop hop = hops[i];
    if (hop.count == 0) continue;
    announcer.advance();
    run_hop(values, link, hop);
    if (hop.receives) announcer.taken();
  }
  link.end();
}

}  // namespace

RingHops::RingHops(const RingShape& shape, int rank) : shape_(shape), rank_(rank) {
  const std::int64_t chunks = ceil_divide(shape.elements, shape.ranks * shape.chunk_elements);
  shape_.chunks_per_block =
      static_cast<int>(std::clamp<std::int64_t>(chunks, 1, shape.chunks_per_block));
  segment_elements_ = shape.chunk_elements * shape_.chunks_per_block * shape.ranks;
  hops_per_segment_ = std::int64_t{2 * shape.ranks - 1} * shape_.chunks_per_block;
  const std::int64_t segments = ceil_divide(shape.elements, segment_elements_);
  size_ = shape.ranks == 1 ? 0 : segments * hops_per_segment_;
}

RingHop RingHops::operator[](std::int64_t index) const {
  const std::int64_t segment_begin = index / hops_per_segment_ * segment_elements_;
  const std::int64_t segment = std::min(segment_elements_, shape_.elements - segment_begin);
  const int within = static_cast<int>(index % hops_per_segment_);
  const int step = within / shape_.chunks_per_block;
  const int chunk = within % shape_.chunks_per_block;
  const int last_step = 2 * (shape_.ranks - 1);

  const int block = (rank_ - step + 2 * shape_.ranks) % shape_.ranks;
  const Range range = block_range(segment, shape_.ranks, block);
  const std::int64_t begin = std::min(range.end, range.begin + chunk * shape_.chunk_elements);
  const std::int64_t end = std::min(range.end, begin + shape_.chunk_elements);
  return {.begin = segment_begin + begin,
          .count = end - begin,
          .receives = step > 0,
          .adds = step > 0 && step < shape_.ranks,
          .sends = step < last_step};
}

void ring_allreduce(std::span<float> values, RingLink& link, int rank, int ranks) {
  allreduce(values, link, rank, ranks);
}

void ring_allreduce(std::span<double> values, RingLink& link, int rank, int ranks) {
  allreduce(values, link, rank, ranks);
}

}  // namespace cnnplan
