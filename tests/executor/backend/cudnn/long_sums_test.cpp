// Compares sums over many positions on a GPU with sums in double.
//
// CNNPLAN_SUM_POSITIONS is the number of positions. Activations, gradients and their products have
// so few digits that all formats hold them exactly, and so does a sum in double.
#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "executor/backend/element.hpp"
#include "tests/executor/backend/cudnn/exact_sums.hpp"
#include "tests/executor/environment.hpp"

namespace cnnplan::test {
namespace {

constexpr std::size_t channels = 4;
constexpr std::int64_t channel_count = channels;
constexpr double gradient_unit = 0x1p-10;  // keeps sums of gradients in the range of fp16

std::int64_t many_positions() {
  return environment_number("CNNPLAN_SUM_POSITIONS", 50'000);
}

Shape row_of(std::int64_t positions) {
  return {{1, channel_count, 1, 1, positions}};
}

std::int64_t element_at(std::int64_t position, std::size_t channel) {
  return position * channel_count + static_cast<std::int64_t>(channel);
}

// The next two functions give element `index` of a block: multiples of 1/64 around 1.
double activation(std::int64_t index) {
  return 0.5 + std::floor(64.0 * static_cast<double>(mixed_value(index))) / 64.0;
}
double gradient(std::int64_t index) {
  return gradient_unit * activation(index + 12345);
}

double gradient_at(std::size_t channel, std::int64_t position) {
  return gradient(element_at(position, channel));
}
double activation_at(std::size_t channel, std::int64_t position) {
  return activation(element_at(position, channel));
}

// Returns the values of all channels from `first` on.
Values part(const Values& values, std::int64_t first) {
  return {values.begin() + first, values.begin() + first + channel_count};
}

struct BatchNormSums {
  ExactSums plain, squares, shift, scale;

  explicit BatchNormSums(std::int64_t positions)
      : plain(exact_sums(channels, positions, activation_at)),
        squares(exact_sums(
            channels,
            positions,
            [](std::size_t c, std::int64_t p) { return std::pow(activation_at(c, p), 2); })),
        shift(exact_sums(channels, positions, gradient_at)) {
    const auto count = static_cast<double>(positions);
    const auto normalised_gradient = [&](std::size_t c, std::int64_t p) {
      const double mean = plain.sums[c] / count;
      const double deviation = std::sqrt(squares.sums[c] / count - mean * mean);
      return gradient_at(c, p) * (activation_at(c, p) - mean) / deviation;
    };
    scale = exact_sums(channels, positions, normalised_gradient);
  }
};

void check_batch_norm(const Candidate& candidate,
                      const std::string& name,
                      const BatchNormSums& exact) {
  const Shape shape = row_of(exact.plain.terms);
  Block x = filled(candidate, shape, activation);
  Block dy = filled(candidate, shape, gradient);
  Block sums = flat(Element::fp64, 2 * channel_count + 1);
  Block gradient_sums = flat(Element::fp64, 2 * channel_count);
  Block dscale = flat(parameter_of(candidate.precision), channel_count);
  Block dshift = dscale;
  KernelSpec spec = spec_of(KernelKind::batch_norm, KernelPhase::forward_statistics, shape);
  run(candidate, spec, {}, {}, {&x, &sums});
  spec.phase = KernelPhase::backward_statistics;
  run(candidate, spec, {}, {}, {&x, &dy, &sums, &gradient_sums, &dscale, &dshift});
  check_sums(name + ", sum", part(sums.values(), 0), exact.plain);
  check_sums(name + ", squares", part(sums.values(), channel_count), exact.squares);
  check_sums(name + ", shift gradient", part(gradient_sums.values(), 0), exact.shift);
  check_sums(name + ", scale gradient", part(gradient_sums.values(), channel_count), exact.scale);
}

// Returns a number that gives large errors if a chain adds it, as the precision holds it.
double even_term(const Candidate& candidate) {
  return rounded(activation_element(candidate.precision), one_and_some(0));
}

// Compares gathered sums of `terms` even terms, each divided by `divisor`.
void check_gathered(const Candidate& candidate,
                    const std::string& name,
                    const Values& computed,
                    std::int64_t terms,
                    double divisor) {
  const double term = even_term(candidate) / divisor;
  const auto exact = exact_sums(channels, terms, [=](std::size_t, std::int64_t) { return term; });
  check_sums(name, computed, exact, rounding_of(candidate));
}

Block even_block(const Candidate& candidate, const Shape& shape) {
  const double term = even_term(candidate);
  return filled(candidate, shape, [term](std::int64_t) { return term; });
}

void check_global_pooling(const Candidate& candidate, const std::string& name) {
  const std::int64_t positions = many_positions();
  KernelSpec spec = spec_of(KernelKind::pooling, KernelPhase::forward, row_of(positions));
  spec.pooling = PoolingMode::average;
  spec.window.dims[2].kernel = positions;
  spec.out[Dim::w] = 1;
  Block x = even_block(candidate, spec.in);
  Block y = Block::dense(element_of(candidate.precision), spec.out);
  run(candidate, spec, {}, {}, {&x, &y});
  check_gathered(
      candidate, name + ", global average", y.values(), positions, static_cast<double>(positions));
}

// Every window holds the input in the middle, which is the only maximum.
void check_pooling_backward(const Candidate& candidate, const std::string& name, PoolingMode mode) {
  constexpr std::int64_t taps = 1024;
  const bool is_max = mode == PoolingMode::max;
  KernelSpec spec = spec_of(KernelKind::pooling, KernelPhase::forward, row_of(2 * taps - 1));
  spec.pooling = mode;
  spec.window.dims[2].kernel = taps;
  spec.out[Dim::w] = taps;
  Block x = filled(
      candidate, spec.in, [](std::int64_t i) { return i / channel_count == taps - 1 ? 2.0 : 1.0; });
  Block y = Block::dense(element_of(candidate.precision), spec.out);
  Block index = Block::dense(Element::int32, spec.out);
  Block dy = even_block(candidate, spec.out);
  Block dx = Block::dense(element_of(candidate.precision), spec.in);
  if (is_max) run(candidate, spec, {}, {}, {&x, &y, &index});
  spec.phase = KernelPhase::backward_data;
  std::vector<Block*> operands{&dy, &dx};
  if (is_max) operands.insert(operands.begin(), &index);
  run(candidate, spec, {}, {}, operands);
  check_gathered(candidate,
                 name + (is_max ? ", gradient of a maximum" : ", gradient of an average"),
                 part(dx.values(), (taps - 1) * channel_count),
                 taps,
                 is_max ? 1.0 : static_cast<double>(taps));
}

void check_upsampling(const Candidate& candidate, const std::string& name) {
  constexpr std::int64_t repeats = 4096;
  KernelSpec spec = spec_of(KernelKind::upsample, KernelPhase::backward_data, row_of(1));
  spec.window.dims[2] = {.kernel = repeats, .stride = repeats};
  spec.out[Dim::w] = repeats;
  Block dy = even_block(candidate, spec.out);
  Block dx = Block::dense(element_of(candidate.precision), spec.in);
  run(candidate, spec, {}, {}, {&dy, &dx});
  check_gathered(candidate, name + ", gradient of an upsampling", dx.values(), repeats, 1.0);
}

// The classes ascend slowly, so each is the largest one so far.
void check_softmax(const Candidate& candidate, const std::string& name) {
  constexpr std::int64_t classes = 100'000;
  constexpr double exponential_rounding = 4e-7;
  const auto score = [](std::int64_t c) { return static_cast<float>(c) * 1e-5F; };
  const KernelSpec spec =
      spec_of(KernelKind::softmax_cross_entropy, KernelPhase::forward, {{1, classes, 1, 1, 1}});
  Block x = filled(candidate, spec.in, score);
  Block labels = flat(Element::int32, 1).fill({0.0});
  Block probabilities = Block::dense(parameter_of(candidate.precision), spec.in);
  Block loss = flat(Element::fp64, 1);
  run(candidate, spec, {.loss_count = 1.0}, {}, {&x, &labels, &probabilities, &loss});
  const auto exponential = [&](std::size_t, std::int64_t c) {
    return std::exp(static_cast<double>(score(c)));
  };
  check_sums(name + ", exponentials",
             {1.0 / probabilities.values()[0]},
             exact_sums(1, classes, exponential),
             exponential_rounding);
}

struct ConvolutionSums {
  ExactSums bias, filter;

  explicit ConvolutionSums(std::int64_t positions)
      : bias(exact_sums(channels, positions, gradient_at)),
        filter(exact_sums(channels * channels, positions, [](std::size_t i, std::int64_t p) {
          return gradient_at(i / channels, p) * activation_at(i % channels, p);
        })) {}
};

void check_convolution(const Candidate& candidate,
                       const std::string& name,
                       const ConvolutionSums& exact) {
  KernelSpec spec =
      spec_of(KernelKind::convolution, KernelPhase::backward_filter, row_of(exact.bias.terms));
  spec.bias = true;
  spec.precision = candidate.precision;
  const std::string engine =
      prepared(candidate.backend).make_kernel(spec, {}, {})->implementation();
  Block x = filled(candidate, spec.in, activation);
  Block dy = filled(candidate, spec.out, gradient);
  StoredWeight dweight(candidate, spec);
  Block dbias = flat(parameter_of(candidate.precision), channel_count);
  run(candidate, spec, {}, {}, {&x, &dy, &dweight.block(), &dbias});
  check_sums(name + ", bias gradient", dbias.values(), exact.bias);
  check_sums(name + ", filter gradient by " + engine,
             dweight.export_plain(),
             exact.filter,
             rounding_of(candidate));
}

double variance_of(double sum, double squares, std::int64_t positions) {
  const auto count = static_cast<double>(positions);
  return squares / count - sum * sum / count / count;
}

}  // namespace

TEST_CASE("sums: batch norm over many positions") {
  const BatchNormSums exact(many_positions());
  for_each_precision("batch norm", [&](const Candidate& candidate, const std::string& name) {
    check_batch_norm(candidate, name, exact);
  });
}

TEST_CASE("sums: pooling over many positions") {
  for_each_precision("pooling", [](const Candidate& candidate, const std::string& name) {
    check_global_pooling(candidate, name);
    for (PoolingMode mode : {PoolingMode::max, PoolingMode::average}) {
      check_pooling_backward(candidate, name, mode);
    }
    check_upsampling(candidate, name);
  });
}

TEST_CASE("sums: softmax over many classes") {
  for_each_precision("softmax", [](const Candidate& candidate, const std::string& name) {
    if (candidate.precision == Precision::fp32) check_softmax(candidate, name);
  });
}

TEST_CASE("sums: gradients of a convolution over many positions") {
  const ConvolutionSums exact(many_positions());
  for_each_precision("convolution", [&](const Candidate& candidate, const std::string& name) {
    check_convolution(candidate, name, exact);
  });
}

TEST_CASE("sums: a variance far below the squared mean") {
  constexpr std::int64_t positions = 5000;
  const auto value = [](std::size_t c, std::int64_t p) { return 1024.0 + activation_at(c, p); };
  const auto square = [value](std::size_t c, std::int64_t p) { return std::pow(value(c, p), 2); };
  const Values exact_sum = exact_sums(channels, positions, value).sums;
  const Values exact_squares = exact_sums(channels, positions, square).sums;
  for_each_precision("variance", [&](const Candidate& candidate, const std::string&) {
    if (candidate.precision != Precision::fp32) return;
    Block x =
        filled(candidate, row_of(positions), [](std::int64_t i) { return 1024.0 + activation(i); });
    Block sums = flat(Element::fp64, 2 * channel_count + 1);
    run(candidate,
        spec_of(KernelKind::batch_norm, KernelPhase::forward_statistics, row_of(positions)),
        {},
        {},
        {&x, &sums});
    const Values computed = sums.values();
    for (std::size_t c = 0; c < channels; ++c) {
      const double variance = variance_of(computed[c], computed[channels + c], positions);
      const double exact = variance_of(exact_sum[c], exact_squares[c], positions);
      CHECK(std::abs(variance - exact) < 1e-5 * exact);
    }
  });
}

}  // namespace cnnplan::test
