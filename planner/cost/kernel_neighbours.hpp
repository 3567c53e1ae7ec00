// Estimates the time of a kernel from profiled kernels of similar shape.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/cost/kernel_estimate.hpp"
#include "planner/kernel/kernel.hpp"

namespace cnnplan {

// Returns the floating-point operations of a convolution, and the bytes that any other kernel must
// move.
double work_of(const KernelSpec& spec);

// Holds profiled kernels of one family. The distance is Euclidean over log2 of extents, groups, and
// the kernel, stride and dilation of the window: twice as many channels are as far away as twice as
// many rows. The kind of pooling and the number of fused operations count, too.
class KernelNeighbours {
 public:
  // Adds a profiled kernel. The estimate assumes that the time of neighbours is proportional to
  // their work. Work may have any unit that all kernels share, such as flops, or seconds by the
  // rates of the device. Kernels without work or time say nothing about throughput and are left
  // out.
  void add(const KernelSpec& spec, double work, double seconds, std::int64_t workspace_bytes = 0);
  // Divides the work by a mean throughput of the three nearest kernels, or of all if there are
  // fewer. The logarithms of their throughputs are averaged with weights 1/(distance^2 + 0.001).
  // The range covers the estimates by each of these kernels alone, and it grows with the distance
  // to the nearest kernel. The workspace is that of the nearest kernel, in proportion to the bytes
  // of the operands.
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
  std::vector<double> log_throughput_;                      // natural logarithms of work per second
  std::vector<double> workspace_per_byte_;                  // of the operands
};

}  // namespace cnnplan
