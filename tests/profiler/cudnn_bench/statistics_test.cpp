// Tests the statistics that a convolution computes with its outputs, on the emulated device.
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include "executor/backend/cudnn/convolution_program.hpp"
#include "executor/backend/cudnn/trial_operands.hpp"
#include "executor/backend/half.hpp"
#include "tests/emulation/cudnn/cudnn_engines.hpp"
#include "tests/emulation/fixture.hpp"
#include "tests/profiler/cudnn_bench/byte_counter.hpp"

namespace cnnplan::test {
namespace {

constexpr std::int64_t channels = 4;
constexpr std::int64_t size = 16;
constexpr std::size_t positions = size * size;

// Makes a 1x1 convolution of one image with two channels.
KernelSpec spec_of(Precision precision) {
  return {
      .in = {{1, 2, 1, size, size}}, .out = {{1, channels, 1, size, size}}, .precision = precision};
}

// Holds a convolution with statistics and its operands.
class Summing {
 public:
  explicit Summing(Precision precision)
      : spec_(spec_of(precision)), filled_(library_.device(), spec_, true) {
    library_.device().synchronize();
  }

  const cudnn::ConvolutionOperands& operands() const { return filled_.operands(); }
  void run() {
    const cudnn::ConvolutionVariant variant{.statistics = true};
    const auto graph =
        cudnn::make_convolution_graph(cudnn::EngineTarget(library_.handle()), spec_, variant);
    cudnn::ConvolutionProgram(library_, spec_, variant, graph, {.index = emulation::exact})
        .run(operands());
    library_.device().synchronize();
  }
  template <typename T>
  std::vector<double> outputs() const {
    const auto stored = host_copy(static_cast<const T*>(operands().y), channels * positions);
    return {stored.begin(), stored.end()};
  }
  // Returns the sums, the sums of squares, and the number of terms.
  std::vector<double> sums() const {
    return host_copy(static_cast<const double*>(operands().sums), 2 * channels + 1);
  }

 private:
  cudnn::Library library_{cudnn::Options{}};
  KernelSpec spec_;
  cudnn::TrialOperands filled_;
};

double variance_of(const std::vector<double>& sums, std::size_t channel) {
  const double mean = sums[channel] / positions;
  return sums[channels + channel] / positions - mean * mean;
}

// Returns the variance of a channel of the outputs without cancellation.
double exact_variance(const std::vector<double>& outputs, std::size_t channel) {
  double mean = 0.0;
  for (std::size_t p = 0; p < positions; ++p) mean += outputs[p * channels + channel] / positions;
  double sum = 0.0;
  for (std::size_t p = 0; p < positions; ++p) {
    const double distance = outputs[p * channels + channel] - mean;
    sum += distance * distance;
  }
  return sum / positions;
}

// Returns inputs of which the first channel is 1, and the second one has a deviation of 1.
std::vector<float> inputs() {
  std::vector<float> x;
  for (std::size_t p = 0; p < positions; ++p) {
    x.push_back(1.0F);
    x.push_back(std::sqrt(2.0F) * std::sin(static_cast<float>(p)));
  }
  return x;
}

void write(void* to, const std::vector<float>& values) {
  REQUIRE(cudaMemcpy(to, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice) ==
          cudaSuccess);
}

}  // namespace

TEST_CASE("Statistics of an engine: they are those of the outputs that it writes") {
  emulation::reset();
  Summing summing(Precision::bf16);
  summing.run();
  const std::vector<double> y = summing.outputs<BFloat16>();
  const std::vector<double> sums = summing.sums();
  for (std::size_t c = 0; c < channels; ++c) {
    double sum = 0.0;
    for (std::size_t p = 0; p < positions; ++p) sum += y[p * channels + c];
    CHECK(sums[c] == doctest::Approx(sum).epsilon(1e-5));
    CHECK(variance_of(sums, c) == doctest::Approx(exact_variance(y, c)).epsilon(1e-5));
  }
  CHECK(sums.back() == positions);
}

// A weight of the first input is the mean of an output, in deviations.
TEST_CASE("Statistics of an engine: outputs are read again only if digits cancel") {
  for (const float mean : {0.0F, 7.5F, 8.5F, 1000.0F}) {
    CAPTURE(mean);
    emulation::reset();
    Summing summing(Precision::tf32);
    write(summing.operands().x, inputs());
    write(summing.operands().w, {0.0F, 1.0F, mean, 1.0F, 0.0F, 2.0F, 1.0F, 1.0F});
    ByteCounter counter;
    counter.watch(summing.operands().y, channels * positions * sizeof(float));
    summing.run();
    const bool cancels = mean > 8.0F;
    CHECK(counter.moved().front().read == (cancels ? channels * positions * sizeof(float) : 0));
    const std::vector<double> y = summing.outputs<float>();
    for (std::size_t c = 0; c < channels; ++c) {
      CHECK(variance_of(summing.sums(), c) == doctest::Approx(exact_variance(y, c)).epsilon(1e-4));
    }
  }
}

TEST_CASE("Statistics of an engine: outputs are read again if a sum of squares overflows") {
  constexpr float large = 2e18F;  // The sum of 256 squares is above the largest float.
  emulation::reset();
  Summing summing(Precision::tf32);
  write(summing.operands().x, inputs());
  write(summing.operands().w, {0.0F, 1.0F, 0.0F, large, 0.0F, 2.0F, 1.0F, 1.0F});
  summing.run();
  const std::vector<double> y = summing.outputs<float>();
  for (std::size_t c = 0; c < channels; ++c) {
    CHECK(variance_of(summing.sums(), c) == doctest::Approx(exact_variance(y, c)).epsilon(1e-4));
  }
}

}  // namespace cnnplan::test
