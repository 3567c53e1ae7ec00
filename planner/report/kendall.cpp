// Counting pairs.
#include "planner/report/kendall.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>

namespace cnnplan {
namespace {

std::int64_t sign(double value) {
  return (value > 0) - (value < 0);
}

void require_same_length(std::span<const double> a, std::span<const double> b) {
  if (a.size() != b.size()) throw std::logic_error("rankings of different lengths");
}

}  // namespace

double kendall_tau(std::span<const double> predicted, std::span<const double> measured) {
  require_same_length(predicted, measured);
  std::int64_t agreement = 0;
  std::int64_t ordered_by_prediction = 0;
  std::int64_t ordered_by_measurement = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const std::int64_t p = sign(predicted[i] - predicted[j]);
      const std::int64_t m = sign(measured[i] - measured[j]);
      agreement += p * m;
      ordered_by_prediction += p * p;
      ordered_by_measurement += m * m;
    }
  }
  if (ordered_by_prediction == 0 || ordered_by_measurement == 0) return 0.0;
  return static_cast<double>(agreement) / std::sqrt(static_cast<double>(ordered_by_prediction) *
                                                    static_cast<double>(ordered_by_measurement));
}

std::int64_t misranked_pairs(std::span<const double> predicted,
                             std::span<const double> measured,
                             double tolerance) {
  require_same_length(predicted, measured);
  std::int64_t misranked = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double difference = measured[i] - measured[j];
      const double smaller = std::min(measured[i], measured[j]);
      if (std::fabs(difference) <= tolerance * smaller) continue;
      if (sign(predicted[i] - predicted[j]) != sign(difference)) ++misranked;
    }
  }
  return misranked;
}

}  // namespace cnnplan
