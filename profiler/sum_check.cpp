// Uses small whole numbers that differ from place to place and from rank to rank.
#include "profiler/sum_check.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "planner/tensor/shard.hpp"

namespace cnnplan {
namespace {

// With these factors, sums over 24,000 ranks are exact in float.
int of_rank(int rank) {
  return rank % 7 + 1;
}
int of_place(std::int64_t i) {
  return static_cast<int>(i % 97) + 1;
}

int sum_over(int ranks) {
  int sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += of_rank(rank);
  return sum;
}

std::vector<float> values_before(const Communicator& group,
                                 CollectiveKind kind,
                                 std::int64_t elements,
                                 const Range& own) {
  std::vector<float> values(elements);
  const bool gathers = kind == CollectiveKind::allgather;
  const int factor = gathers ? sum_over(group.size()) : of_rank(group.rank());
  const Range filled = gathers ? own : Range{0, elements};
  for (std::int64_t i = filled.begin; i < filled.end; ++i) {
    values[i] = static_cast<float>(factor * of_place(i));
  }
  return values;
}

}  // namespace

std::int64_t count_wrong(const Communicator& group,
                         const CollectiveSpec& spec,
                         const std::function<void()>& collective) {
  const Range own = shard(spec.elements, group.size(), group.rank());
  std::vector<float> host = values_before(group, spec.kind, spec.elements, own);
  const std::int64_t bytes = spec.elements * bytes_of(ElementType::fp32);
  spec.device->copy_to_device(spec.data, host.data(), bytes);
  collective();
  spec.device->copy_to_host(host.data(), spec.data, bytes);
  spec.device->synchronize();
  const bool scatters = spec.kind == CollectiveKind::reduce_scatter;
  const Range checked = scatters ? own : Range{0, spec.elements};
  const int sum = sum_over(group.size());
  double wrong = 0.0;
  for (std::int64_t i = checked.begin; i < checked.end; ++i) {
    const auto expected = static_cast<float>(sum * of_place(i));
    if (host[i] != expected) wrong += 1.0;
  }
  const std::vector<double> all = group.all_gather(std::array{wrong});
  return std::llround(std::accumulate(all.begin(), all.end(), 0.0));
}

}  // namespace cnnplan
