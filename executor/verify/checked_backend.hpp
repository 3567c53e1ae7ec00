// Compares each kernel that a rank runs with the reference in double, on the inputs that it had.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "executor/verify/decorated_backend.hpp"

namespace cnnplan {

// Describes the worst result of a kernel, whose error is the largest relative to its limit.
struct KernelFinding {
  std::string operation;  // id of the operation
  double error = 0.0;     // absolute difference from the reference
  double limit = 0.0;     // of the error that rounding explains
  double excess = 0.0;    // error / limit
};

// Collects the findings of one rank. Lanes may add findings at the same time.
class KernelFindings {
 public:
  // `operations` holds the ids of the operations that run kernels, in their order.
  explicit KernelFindings(std::vector<std::string> operations)
      : operations_(std::move(operations)) {}

  // Adds the results of one operand of the kernel at this place in the order. Of these `results`,
  // `checked` were compared, and `worst` is the worst.
  void add(std::size_t kernel, KernelFinding worst, std::int64_t checked, std::int64_t results);

  // Return the worst finding so far, the number of results that were compared, and the number of
  // all results.
  const KernelFinding& worst() const { return worst_; }
  std::int64_t checked() const { return checked_; }
  std::int64_t results() const { return results_; }

 private:
  std::mutex mutex_;
  std::vector<std::string> operations_;
  KernelFinding worst_;
  std::int64_t checked_ = 0;  // results that were compared
  std::int64_t results_ = 0;
};

// Remembers where the reference found the maxima of poolings, by the memory of their indices, since
// only the backend can read its own indices.
class MaximumPlaces {
 public:
  // This is the place of a maximum that several inputs equal.
  static constexpr double tie = -2.0;

  // Takes the places of the maxima for each output, which are numbers of taps or `tie`. `memory` is
  // the address of the operand `index` that the backend wrote.
  void set(const void* memory, std::vector<double> places);
  // Returns the places that belong to this memory, or an empty list where nothing is known.
  std::vector<double> get(const void* memory) const;

 private:
  mutable std::mutex mutex_;
  std::map<const void*, std::vector<double>> places_;
};

// Runs the kernels of another backend, and compares the results of each run within sum_limit()
// (convolutions, 64 times as much for Winograd ones) or kernel_limits(). Error signals of a max
// pooling are left out where inputs tie.
class CheckedBackend final : public DecoratedBackend {
 public:
  // Keeps a reference to the findings. `products` limits how many products of one operand of a
  // convolution are computed again. Of larger operands, checked_places() chooses the results.
  CheckedBackend(std::unique_ptr<Backend> inner, KernelFindings& findings, double products);

  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override;

 private:
  KernelFindings& findings_;
  double products_;
  std::unique_ptr<Backend> reference_;
  MaximumPlaces maxima_;
  std::size_t kernels_ = 0;
};

}  // namespace cnnplan
