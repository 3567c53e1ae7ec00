// Adds many numbers without losing the small ones.
#pragma once

#include <cmath>

namespace cnnplan {

// Sums doubles, and keeps what each addition rounds off (Neumaier 1974). The sum of n numbers is
// then wrong by about one rounding, also where all errors have one sign, as with equal numbers. A
// sum that is not finite stays so.
class CompensatedSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    lost_ += std::abs(sum_) >= std::abs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return std::isfinite(sum_) ? sum_ + lost_ : sum_; }

 private:
  double sum_ = 0.0;
  double lost_ = 0.0;
};

}  // namespace cnnplan
