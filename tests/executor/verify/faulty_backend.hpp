// Adds a fault to the result of one kernel, so that a verification can be tested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "executor/verify/decorated_backend.hpp"

namespace cnnplan::test {

// An element is one number. A row is all channels of a line of positions, or a tenth of an array.
// `all` is the whole result of the rank.
enum class FaultExtent { element, row, all };

struct Fault {
  std::size_t kernel = 0;   // place in the order in which the rank makes kernels
  std::uint64_t place = 0;  // random number that chooses the element
  FaultExtent extent = FaultExtent::element;
  double size = 0.0;  // that is added
};

class FaultyBackend final : public DecoratedBackend {
 public:
  FaultyBackend(std::unique_ptr<Backend> inner, const Fault& fault)
      : DecoratedBackend(std::move(inner)), fault_(fault) {}

  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override;

 private:
  Fault fault_;
  std::size_t kernels_ = 0;
};

}  // namespace cnnplan::test
