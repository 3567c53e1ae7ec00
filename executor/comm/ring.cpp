// Runs the steps of the ring against a link, so that messages and shared memory share this code.
#include "executor/comm/ring.hpp"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "executor/backend/sum_kernels.hpp"
#include "planner/tensor/distribution.hpp"
#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

template <typename T>
std::size_t bytes_of(const RingHop& hop) {
  return hop.count * sizeof(T);
}

template <typename T>
void take(T* own, const T* received, const RingHop& hop) {
  if constexpr (std::is_floating_point_v<T>) {
    if (hop.adds) return add(own, received, hop.count);
  }
  std::memcpy(own, received, bytes_of<T>(hop));
}

// Takes the chunk and forwards it in one pass over its values.
template <typename T>
void take_and_forward(T* own, const T* received, T* forward, const RingHop& hop) {
  if constexpr (std::is_floating_point_v<T>) {
    if (hop.adds) return add_and_forward(own, received, forward, hop.count);
    if (hop.receives) return copy_and_forward(own, received, forward, hop.count);
  } else if (hop.receives) {
    std::memcpy(own, received, bytes_of<T>(hop));
  }
  std::memcpy(forward, own, bytes_of<T>(hop));
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
      link_.expect(hop.count * element_bytes_);
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
void run(CollectiveKind kind, std::span<T> values, RingLink& link, int rank, int ranks) {
  const RingShape shape{.kind = kind,
                        .elements = std::ssize(values),
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
  const bool in_shards = shape.kind != CollectiveKind::allreduce;
  const std::int64_t longest = in_shards ? shard(shape.elements, shape.ranks, 0).size()
                                         : ceil_divide(shape.elements, shape.ranks);
  const std::int64_t chunks = ceil_divide(longest, shape.chunk_elements);
  shape_.chunks_per_block =
      static_cast<int>(std::clamp<std::int64_t>(chunks, 1, shape.chunks_per_block));
  const std::int64_t block_elements = shape.chunk_elements * shape_.chunks_per_block;
  segment_elements_ = block_elements * (in_shards ? 1 : shape.ranks);
  hops_per_segment_ = std::int64_t{steps()} * shape_.chunks_per_block;
  const std::int64_t segments =
      ceil_divide(in_shards ? longest : shape.elements, segment_elements_);
  size_ = shape.ranks == 1 ? 0 : segments * hops_per_segment_;
}

// The first step receives nothing, and the last step sends nothing.
int RingHops::steps() const {
  return shape_.kind == CollectiveKind::allreduce ? 2 * shape_.ranks - 1 : shape_.ranks;
}

Range RingHops::block_of(std::int64_t segment, int block) const {
  const std::int64_t begin = segment * segment_elements_;
  if (shape_.kind == CollectiveKind::allreduce) {
    const std::int64_t length = std::min(segment_elements_, shape_.elements - begin);
    const Range within = block_range(length, shape_.ranks, block);
    return {begin + within.begin, begin + within.end};
  }
  const Range whole = shard(shape_.elements, shape_.ranks, block);
  const auto at = [&](std::int64_t place) { return std::min(whole.end, whole.begin + place); };
  return {at(begin), at(begin + segment_elements_)};
}

RingHop RingHops::operator[](std::int64_t index) const {
  const auto within = static_cast<int>(index % hops_per_segment_);
  const int step = within / shape_.chunks_per_block;
  const int chunk = within % shape_.chunks_per_block;
  const int first = shape_.kind == CollectiveKind::reduce_scatter ? rank_ - 1 : rank_;
  const int block = (first - step + 2 * shape_.ranks) % shape_.ranks;
  const Range range = block_of(index / hops_per_segment_, block);
  const std::int64_t begin = std::min(range.end, range.begin + chunk * shape_.chunk_elements);
  const std::int64_t end = std::min(range.end, begin + shape_.chunk_elements);
  const bool gathers = shape_.kind == CollectiveKind::allgather || step >= shape_.ranks;
  return {.begin = begin,
          .count = end - begin,
          .receives = step > 0,
          .adds = step > 0 && !gathers,
          .sends = step + 1 < steps()};
}

void ring_collective(
    CollectiveKind kind, std::span<float> values, RingLink& link, int rank, int ranks) {
  run(kind, values, link, rank, ranks);
}

void ring_collective(
    CollectiveKind kind, std::span<double> values, RingLink& link, int rank, int ranks) {
  run(kind, values, link, rank, ranks);
}

void ring_allgather(std::span<float> values, RingLink& link, int rank, int ranks) {
  run(CollectiveKind::allgather, values, link, rank, ranks);
}

void ring_allgather(std::span<double> values, RingLink& link, int rank, int ranks) {
  run(CollectiveKind::allgather, values, link, rank, ranks);
}

void ring_allgather(std::span<std::uint16_t> values, RingLink& link, int rank, int ranks) {
  run(CollectiveKind::allgather, values, link, rank, ranks);
}

}  // namespace cnnplan
