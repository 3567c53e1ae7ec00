// Finds the tensor that differs most between two runs, by norms of differences.
#include "tests/executor/training/run_difference.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

namespace cnnplan::test {
namespace {

double norm(const std::vector<double>& values) {
  double sum = 0.0;
  for (double value : values) sum += value * value;
  return std::sqrt(sum);
}

double norm(const NamedValues& tensors) {
  double sum = 0.0;
  for (const auto& [name, values] : tensors) sum += norm(values) * norm(values);
  return std::sqrt(sum);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) throw std::logic_error("tensors of different sizes");
  std::vector<double> difference(a.size());
  std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
  return norm(difference);
}

class Worst {
 public:
  explicit Worst(double smallest_part) : smallest_part_(smallest_part) {}

  void add(const std::string& name,
           const std::vector<double>& actual,
           const std::vector<double>& expected,
           double floor = 0.0) {
    const double absolute = distance(actual, expected);
    const double relative = absolute / std::max(norm(expected), floor);
    // A size that is not a number is worse than any number.
    if (absolute == 0.0 || relative <= worst_.size) return;
    worst_ = {name, relative};
  }
  void add(const std::string& what, const NamedValues& actual, const NamedValues& expected) {
    if (actual.size() != expected.size()) throw std::logic_error("other tensors");
    const double floor = smallest_part_ * norm(expected);
    for (const auto& [name, values] : expected) add(what + name, actual.at(name), values, floor);
  }
  const Difference& get() const { return worst_; }

 private:
  double smallest_part_;
  Difference worst_;
};

}  // namespace

Difference largest_difference(const RunResult& actual,
                              const RunResult& expected,
                              double smallest_part) {
  Worst worst(smallest_part);
  worst.add("loss", actual.loss, expected.loss);
  worst.add("output", actual.output, expected.output);
  worst.add("gradient of ", actual.gradients, expected.gradients);
  worst.add("momentum of ", actual.momentum, expected.momentum);
  worst.add("after the last step ", actual.weights, expected.weights);
  return worst.get();
}

}  // namespace cnnplan::test
