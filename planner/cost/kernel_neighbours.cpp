// Finds the nearest neighbours of a kernel over log2 of its extents.
#include "planner/cost/kernel_neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>

namespace cnnplan {
namespace {

constexpr std::size_t neighbour_count = 3;
// Each doubling of one extent away from the nearest kernel adds this relative spread. Blocks of
// half the size keep 75 to 100 % of the throughput.
constexpr double spread_per_doubling = 0.15;
// Keeps the weight of a neighbour at distance zero finite.
constexpr double softening = 1e-3;

float log2_of(std::int64_t extent) {
  return std::log2(static_cast<float>(std::max<std::int64_t>(extent, 1)));
}

// Returns log2 of the product over the dims. The product itself may exceed a 64-bit integer.
float log2_of(const Window& window, std::int64_t WindowDim::*member) {
  float sum = 0.0F;
  for (const WindowDim& dim : window.dims) sum += log2_of(dim.*member);
  return sum;
}

struct Neighbour {
  float distance_squared = std::numeric_limits<float>::infinity();
  std::size_t index = 0;
};
using Nearest = std::array<Neighbour, neighbour_count>;

Nearest nearest(std::span<const float> distances_squared) {
  Nearest found;
  for (std::size_t i = 0; i < distances_squared.size(); ++i) {
    if (!(distances_squared[i] < found.back().distance_squared)) continue;
    found.back() = {distances_squared[i], i};
    std::sort(found.begin(), found.end(), [](const Neighbour& a, const Neighbour& b) {
      return a.distance_squared < b.distance_squared;
    });
  }
  return found;
}

}  // namespace

double work_of(const KernelSpec& spec) {
  return spec.kind == KernelKind::convolution ? flops(spec) : bytes(spec);
}

KernelNeighbours::Features KernelNeighbours::features_of(const KernelSpec& spec) {
  return {log2_of(spec.in[Dim::n]),
          log2_of(spec.in[Dim::c]),
          log2_of(spec.in[Dim::d]),
          log2_of(spec.in[Dim::h]),
          log2_of(spec.in[Dim::w]),
          log2_of(spec.out[Dim::c]),
          log2_of(spec.out[Dim::d]),
          log2_of(spec.out[Dim::h]),
          log2_of(spec.out[Dim::w]),
          log2_of(spec.window, &WindowDim::kernel),
          log2_of(spec.window, &WindowDim::stride),
          log2_of(spec.window, &WindowDim::dilation),
          log2_of(spec.groups),
          spec.pooling == PoolingMode::max ? 1.0F : 0.0F,
          static_cast<float>(spec.bias + spec.relu + spec.residual + spec.second_dy)};
}

void KernelNeighbours::add(const KernelSpec& spec,
                           double work,
                           double seconds,
                           std::int64_t workspace_bytes) {
  if (!(seconds > 0) || !(work > 0)) return;
  const Features features = features_of(spec);
  for (std::size_t f = 0; f < feature_count; ++f) features_[f].push_back(features[f]);
  log_throughput_.push_back(std::log(work / seconds));
  workspace_per_byte_.push_back(static_cast<double>(workspace_bytes) / bytes(spec));
}

std::vector<float> KernelNeighbours::distances_squared(const Features& query) const {
  std::vector<float> distances(log_throughput_.size(), 0.0F);
  for (std::size_t f = 0; f < feature_count; ++f) {
    for (std::size_t i = 0; i < distances.size(); ++i) {
      const float difference = features_[f][i] - query[f];
      distances[i] += difference * difference;
    }
  }
  return distances;
}

KernelEstimate KernelNeighbours::estimate(const KernelSpec& spec, double work) const {
  if (empty()) throw std::logic_error("no profiled kernel to estimate from");
  const Nearest found = nearest(distances_squared(features_of(spec)));
  double weights = 0.0;
  double weighted = 0.0;
  double slowest = log_throughput_[found.front().index];
  double fastest = slowest;
  for (const Neighbour& neighbour : std::span(found).first(std::min(found.size(), size()))) {
    const double throughput = log_throughput_[neighbour.index];
    const double weight = 1.0 / (neighbour.distance_squared + softening);
    weights += weight;
    weighted += weight * throughput;
    slowest = std::min(slowest, throughput);
    fastest = std::max(fastest, throughput);
  }
  const double spread = 1 + spread_per_doubling * std::sqrt(found.front().distance_squared);
  return {.seconds = work / std::exp(weighted / weights),
          .low_s = work / std::exp(fastest) / spread,
          .high_s = work / std::exp(slowest) * spread,
          .workspace_bytes = std::llround(workspace_per_byte_[found.front().index] * bytes(spec))};
}

}  // namespace cnnplan
