// Small whole numbers, different from place to place and from rank to rank.
#include "profiler/sum_check.hpp"

#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace cnnplan {
namespace {

// Sums over 24,000 ranks are exact in float.
int of_rank(int rank) {
  return rank % 7 + 1;
}
int of_place(std::size_t i) {
  return static_cast<int>(i % 97) + 1;
}

}  // namespace

std::int64_t count_wrong_sums(const Communicator& group,
                              Device& device,
                              void* values,
                              std::int64_t elements,
                              const std::function<void()>& allreduce) {
  std::vector<float> host(static_cast<std::size_t>(elements));
  for (std::size_t i = 0; i < host.size(); ++i) {
    host[i] = static_cast<float>(of_rank(group.rank()) * of_place(i));
  }
  const std::int64_t bytes = elements * static_cast<std::int64_t>(sizeof(float));
  device.copy_to_device(values, host.data(), bytes);
  allreduce();
  device.copy_to_host(host.data(), values, bytes);
  device.synchronize();
  int ranks_sum = 0;
  for (int rank = 0; rank < group.size(); ++rank) ranks_sum += of_rank(rank);
  double wrong = 0.0;
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (host[i] != static_cast<float>(ranks_sum * of_place(i))) wrong += 1.0;
  }
  const std::vector<double> all = group.all_gather(std::array{wrong});
  return std::llround(std::accumulate(all.begin(), all.end(), 0.0));
}

}  // namespace cnnplan
