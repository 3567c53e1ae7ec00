// Tests, by plain loops without cuDNN, that the convolution an engine sees has the result of the
// kernel.
#include "executor/backend/cudnn/convolution_variant.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::test {
namespace {

using cudnn::ConvolutionVariant;

WindowDim random_dim(Random& random) {
  WindowDim dim{.kernel = random.integer(1, 4),
                .stride = random.integer(1, 3),
                .padding_begin = 0,
                .padding_end = 0,
                .dilation = random.integer(1, 2)};
  dim.padding_begin = random.integer(0, dim.reach() - 1);
  dim.padding_end = random.integer(0, dim.reach() - 1);
  return dim;
}

KernelSpec random_convolution(Random& random) {
  KernelSpec spec;
  spec.precision = Precision::fp64;
  spec.groups = random.integer(1, 2);
  spec.bias = random.coin();
  spec.in[Dim::n] = spec.out[Dim::n] = random.integer(1, 2);
  spec.in[Dim::c] = spec.groups * random.integer(1, 2);
  spec.out[Dim::c] = spec.groups * random.integer(1, 2);
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    do {
      if (dim != Dim::d || random.coin()) spec.window.dims[i] = random_dim(random);
      spec.in[dim] = random.integer(1, 7);
      spec.out[dim] = output_length(spec.in[dim], spec.window.dims[i]);
    } while (spec.out[dim] < 1);
  }
  return spec;
}

std::int64_t weight_elements(const KernelSpec& spec) {
  std::int64_t elements = spec.out[Dim::c] * (spec.in[Dim::c] / spec.groups);
  for (const WindowDim& dim : spec.window.dims) elements *= dim.kernel;
  return elements;
}

// Copies `values` of the block `inside` into zeros of the shape of `buffer`, or out of them.
Values moved(const Values& values, const Shape& buffer, const Box& inside, bool into_buffer) {
  Values result;
  std::size_t next = 0;
  std::array<std::int64_t, dim_count> at{};
  auto& [n, c, d, h, w] = at;
  for (n = 0; n < buffer[Dim::n]; ++n)
    for (d = 0; d < buffer[Dim::d]; ++d)
      for (h = 0; h < buffer[Dim::h]; ++h)
        for (w = 0; w < buffer[Dim::w]; ++w)
          for (c = 0; c < buffer[Dim::c]; ++c) {
            const bool is_inside = std::all_of(all_dims.begin(), all_dims.end(), [&](Dim dim) {
              const std::int64_t index = at[static_cast<std::size_t>(dim)];
              return index >= inside[dim].begin && index < inside[dim].end;
            });
            if (into_buffer) result.push_back(is_inside ? values[next++] : 0.0);
            if (!into_buffer && is_inside) result.push_back(values[next]);
            if (!into_buffer) ++next;
          }
  return result;
}

struct Numbers {
  Values x, weight, dy;
};

// Returns y, dx or dweight.
Values result_of(KernelSpec spec, KernelPhase phase, const Numbers& numbers) {
  const Element element = element_of(Precision::fp64);
  spec.phase = phase;
  spec.bias = false;
  Block x = Block::dense(element, spec.in);
  Block weight = flat(element, weight_elements(spec));
  Block y = Block::dense(element, spec.out);
  if (phase != KernelPhase::backward_data) x.fill(numbers.x);
  if (phase != KernelPhase::backward_filter) weight.fill(numbers.weight);
  if (phase != KernelPhase::forward) y.fill(numbers.dy);
  if (phase == KernelPhase::forward) {
    run(oracle(), spec, {}, {}, {&x, &weight, &y});
    return y.values();
  }
  if (phase == KernelPhase::backward_data) {
    run(oracle(), spec, {}, {}, {&y, &weight, &x});
    return x.values();
  }
  run(oracle(), spec, {}, {}, {&x, &y, &weight});
  return weight.values();
}

void check_same_convolution(const KernelSpec& spec,
                            const ConvolutionVariant& variant,
                            const Numbers& numbers) {
  const KernelSpec view = cudnn::engine_view(spec, variant);
  const Box inside = cudnn::input_in_buffer(spec, view);
  REQUIRE(shape_of(inside) == spec.in);
  Numbers seen = numbers;
  seen.x = moved(numbers.x, view.in, inside, true);
  REQUIRE(seen.x.size() == static_cast<std::size_t>(volume(view.in)));
  for (KernelPhase phase :
       {KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter}) {
    CAPTURE(to_text(phase));
    Values result = result_of(view, phase, seen);
    if (phase == KernelPhase::backward_data) result = moved(result, view.in, inside, false);
    CHECK(difference(result, result_of(spec, phase, numbers)) < 1e-12);
  }
}

// Returns the number of outputs of `dim` when it is padded by `padding` on both sides.
bool allows_symmetric(const WindowDim& dim, std::int64_t in, std::int64_t out) {
  const std::int64_t room = in + 2 * dim.padding_begin - dim.reach();
  return room >= 0 && room / dim.stride + 1 == out;
}

}  // namespace

TEST_CASE("ConvolutionVariant: every view computes the same convolution") {
  Random random(3);
  for (int round = 0; round < 150; ++round) {
    const KernelSpec spec = random_convolution(random);
    INFO(to_text(spec));
    const Numbers numbers{random.values(volume(spec.in)),
                          random.values(weight_elements(spec)),
                          random.values(volume(spec.out))};
    for (const ConvolutionVariant& variant : cudnn::variants_of(spec)) {
      check_same_convolution(spec, variant, numbers);
    }
  }
}

TEST_CASE("ConvolutionVariant: padding is symmetric wherever the output allows it") {
  Random random(4);
  for (int round = 0; round < 1000; ++round) {
    const KernelSpec spec = random_convolution(random);
    INFO(to_text(spec));
    const KernelSpec plain = cudnn::engine_view(spec, {});
    const KernelSpec padded = cudnn::engine_view(spec, {.padded = true});
    bool all_allow = true;
    for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
      const Dim dim = spatial_dims[i];
      const WindowDim& own = spec.window.dims[i];
      const bool allows = allows_symmetric(own, spec.in[dim], spec.out[dim]);
      WindowDim symmetric = own;
      symmetric.padding_end = own.padding_begin;
      CHECK(plain.window.dims[i] == (allows ? symmetric : own));
      CHECK(padded.window.dims[i].padding_begin == padded.window.dims[i].padding_end);
      CHECK(padded.in[dim] - spec.in[dim] == (allows ? 0 : own.padding_begin + own.padding_end));
      all_allow = all_allow && allows;
    }
    CHECK(plain.in == spec.in);
    const auto variants = cudnn::variants_of(spec);
    const bool has_padded =
        std::any_of(variants.begin(), variants.end(), [](const auto& v) { return v.padded; });
    CHECK(has_padded == !all_allow);
  }
}

TEST_CASE("ConvolutionVariant: mirror images are all kernels of the same canonical one") {
  Random random(5);
  for (int round = 0; round < 200; ++round) {
    const KernelSpec spec = random_convolution(random);
    const std::vector<KernelSpec> images = cudnn::mirror_images(spec);
    CHECK(images.front() == spec);
    std::size_t expected = 1;
    for (const WindowDim& dim : spec.window.dims) {
      if (dim.padding_begin != dim.padding_end) expected *= 2;
    }
    CHECK(std::set<KernelSpec>(images.begin(), images.end()).size() == expected);
    for (const KernelSpec& image : images) CHECK(canonical(image) == canonical(spec));
  }
}

TEST_CASE("ConvolutionVariant: names are taken off the end of a text") {
  for (int bits = 0; bits < 8; ++bits) {
    const ConvolutionVariant variant{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    const std::string name = "engine 7 k2=5" + cudnn::to_text(variant);
    std::string_view rest = name;
    CHECK(cudnn::parse_variant(rest) == variant);
    CHECK(rest == "engine 7 k2=5");
  }
}

TEST_CASE("ConvolutionVariant: bias, ReLU and 16-bit weights decide what else is tried") {
  KernelSpec spec{.in = {{1, 4, 1, 5, 5}}, .out = {{1, 4, 1, 5, 5}}};
  spec.bias = true;
  const auto narrow = [&](KernelPhase phase, Precision precision) {
    spec.phase = phase;
    spec.precision = precision;
    std::vector<bool> list;
    for (const ConvolutionVariant& variant : cudnn::variants_of(spec)) {
      list.push_back(variant.narrow);
    }
    return list;
  };
  CHECK(narrow(KernelPhase::forward, Precision::fp32) == std::vector{false, false});
  CHECK(narrow(KernelPhase::forward, Precision::bf16) == std::vector{false, true});  // fused
  CHECK(narrow(KernelPhase::backward_data, Precision::bf16) == std::vector{false});
  CHECK(narrow(KernelPhase::backward_filter, Precision::bf16) == std::vector{true});
  CHECK(narrow(KernelPhase::backward_filter, Precision::tf32) == std::vector{false});
  spec.bias = false;
  CHECK(narrow(KernelPhase::forward, Precision::bf16) == std::vector{false});
  spec.relu = true;
  CHECK(narrow(KernelPhase::forward, Precision::bf16) == std::vector{false, false});  // fused
}

}  // namespace cnnplan::test
