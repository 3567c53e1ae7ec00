// Estimates the time of a kernel from profiled kernels of similar shape.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "planner/cost/kernel_estimate.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Flops of a convolution, bytes of everything else.
double work_of(const KernelSpec& spec);

// Profiled kernels of one kind, phase, algorithm and precision. Distance is Euclidean over log2 of
// the extents: twice as many channels are as far away as twice as many rows.
class KernelNeighbours {
 public:
  // Work is what time is taken to be proportional to among neighbours, in any unit, the same for
  // all: see work_of, or seconds by a model that is to be corrected. Kernels that did no work or
  // took no time say nothing about throughput and are left out.
  void add(const KernelSpec& spec, double work, double seconds);
  // Work over the throughput of the nearest kernels, averaged in logarithms with weights
  // 1/distance^2. The range covers what each of them says alone and grows with the distance to the
  // nearest one.
  // @pre at least one kernel was added
  KernelEstimate estimate(const KernelSpec& spec, double work) const;
  std::size_t size() const { return log_throughput_.size(); }
  bool empty() const { return size() == 0; }

 private:
  static constexpr std::size_t feature_count = 15;
  using Features = std::array<float, feature_count>;

  static Features features_of(const KernelSpec& spec);
  std::vector<float> distances_squared(const Features& query) const;

  std::array<std::vector<float>, feature_count> features_;  // one list per feature: vectorises
  std::vector<double> log_throughput_;                      // work per second
};

}  // namespace cnnplan
