// Runs a step in double with the roundings that another precision would make.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "executor/verify/decorated_backend.hpp"
#include "executor/verify/matrix_convolution.hpp"
#include "executor/verify/noise_levels.hpp"

namespace cnnplan {

// Says how a run rounds. `exact` rounds nothing. All other runs round every stored tensor, and add
// random errors as large as the errors of sums. A function such as a ReLU switches at a value such
// as 0, and rounding could move inputs that are near it to the other side. So `up` moves near
// inputs to one side, and `down` moves them to the other.
enum class RoundingRun { exact, random, up, down };

// Says which roundings a NoisyBackend makes.
struct RoundingNoise {
  Precision precision = Precision::fp32;  // whose roundings are made
  RoundingRun run = RoundingRun::exact;
  std::uint64_t seed = 1;         // of the random errors
  NoiseLevels* levels = nullptr;  // not null; `exact` and then `random` write it
};

// Decorates the reference backend with fast convolutions. Its kernels must have precision fp64.
class NoisyBackend final : public DecoratedBackend {
 public:
  // Keeps a reference to the levels.
  NoisyBackend(std::unique_ptr<Backend> reference, const RoundingNoise& noise)
      : DecoratedBackend(std::make_unique<MatrixBackend>(std::move(reference))), noise_(noise) {}

  std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec,
                                      const KernelConstants& constants,
                                      const std::string& implementation) override;

 private:
  RoundingNoise noise_;
  std::size_t kernels_ = 0;  // made so far
};

}  // namespace cnnplan
