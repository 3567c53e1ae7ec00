// Remembers how far rounding moves the inputs of functions that switch, such as a ReLU.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

namespace cnnplan {

// Holds a level for each kernel, which is named by its number in the order in which a backend makes
// kernels. The first run, without rounding, shows each kernel a sample of its values. The next run
// shows it their rounded counterparts, from which its level follows.
class NoiseLevels {
 public:
  // Takes the sample of the first run.
  void set_exact(std::size_t kernel, std::vector<double> sample) {
    exact_.resize(std::max(exact_.size(), kernel + 1));
    exact_[kernel] = std::move(sample);
  }
  // Takes the sample of the next run, and computes the level.
  // @pre set_exact() got as many values of this kernel
  void set_rounded(std::size_t kernel, const std::vector<double>& sample) {
    levels_.resize(std::max(levels_.size(), kernel + 1));
    double squares = 0.0;
    for (std::size_t i = 0; i < sample.size(); ++i) {
      squares += (sample[i] - exact_[kernel][i]) * (sample[i] - exact_[kernel][i]);
    }
    if (!sample.empty()) {
      levels_[kernel] = std::sqrt(squares / static_cast<double>(sample.size()));
    }
  }
  // Returns the root mean square of the changes, or 0 where nothing is known.
  double level(std::size_t kernel) const { return kernel < levels_.size() ? levels_[kernel] : 0.0; }

 private:
  std::vector<std::vector<double>> exact_;
  std::vector<double> levels_;
};

}  // namespace cnnplan
