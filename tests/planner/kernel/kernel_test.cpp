// Tests specifications of kernels: their keys and texts, their flops and their bytes.
#include "planner/kernel/kernel.hpp"

#include <array>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/kernel/kernel_kind.hpp"
#include "planner/network/enumerators.hpp"
#include "planner/tensor/enumerators.hpp"

namespace cnnplan::test {
namespace {

// Returns a 3x3 convolution of a 6x5 image that is padded below and to the left.
KernelSpec convolution() {
  KernelSpec spec;
  spec.in = {{2, 4, 1, 6, 5}};
  spec.out = {{2, 8, 1, 5, 4}};
  spec.window.dims = {WindowDim{},
                      WindowDim{.kernel = 3, .padding_end = 1},
                      WindowDim{.kernel = 3, .padding_begin = 1}};
  return spec;
}

KernelSpec elementwise(KernelKind kind, KernelPhase phase) {
  KernelSpec spec{.kind = kind, .phase = phase};
  spec.in = spec.out = {{2, 4, 1, 5, 5}};
  return spec;
}

}  // namespace

TEST_CASE("KernelSpec: the first and the last block of a split have one key") {
  const KernelSpec spec = convolution();
  KernelSpec mirrored = spec;
  for (WindowDim& dim : mirrored.window.dims) std::swap(dim.padding_begin, dim.padding_end);
  CHECK(canonical(spec) == canonical(mirrored));
  CHECK(canonical(canonical(spec)) == canonical(spec));
  for (const WindowDim& dim : canonical(spec).window.dims) {
    CHECK(dim.padding_begin <= dim.padding_end);
  }
}

TEST_CASE("KernelSpec: the key keeps everything but the side of the padding") {
  KernelSpec spec = convolution();
  const KernelSpec key = canonical(spec);
  CHECK(key.in == spec.in);
  CHECK(key.out == spec.out);
  CHECK(key.window.dims[1] == spec.window.dims[1]);
  spec.window.dims[1].padding_end = 2;
  CHECK(canonical(spec) != key);
}

TEST_CASE("KernelSpec: texts differ where specs differ") {
  using Change = std::function<void(KernelSpec&)>;
  const std::vector<Change> changes{[](KernelSpec& s) { s.phase = KernelPhase::backward_data; },
                                    [](KernelSpec& s) { s.in[Dim::n] = 3; },
                                    [](KernelSpec& s) { s.out[Dim::w] = 3; },
                                    [](KernelSpec& s) { s.window.dims[1].kernel = 5; },
                                    [](KernelSpec& s) { s.window.dims[1].stride = 2; },
                                    [](KernelSpec& s) { s.window.dims[1].padding_begin = 1; },
                                    [](KernelSpec& s) { s.window.dims[1].padding_end = 2; },
                                    [](KernelSpec& s) { s.window.dims[2].dilation = 2; },
                                    [](KernelSpec& s) { s.groups = 2; },
                                    [](KernelSpec& s) { s.bias = true; },
                                    [](KernelSpec& s) { s.relu = true; },
                                    [](KernelSpec& s) { s.residual = true; },
                                    [](KernelSpec& s) { s.second_dy = true; },
                                    [](KernelSpec& s) { s.precision = Precision::fp64; },
                                    [](KernelSpec& s) { s.algorithm = KernelAlgorithm::winograd; },
                                    [](KernelSpec& s) { s.kind = KernelKind::pooling; },
                                    [](KernelSpec& s) {
                                      s.kind = KernelKind::pooling;
                                      s.pooling = PoolingMode::average;
                                    },
                                    [](KernelSpec& s) {
                                      s.kind = KernelKind::pooling;
                                      s.pooling = PoolingMode::average;
                                      s.count_include_padding = true;
                                    }};
  std::set<std::string> texts{to_text(convolution())};
  for (const Change& change : changes) {
    KernelSpec spec = convolution();
    change(spec);
    CHECK(texts.insert(to_text(spec)).second);
  }
}

TEST_CASE("KernelSpec: the text of a convolution") {
  CHECK(to_text(convolution()) ==
        "convolution/forward in=2x4x1x6x5 out=2x8x1x5x4 kernel=1x3x3 stride=1x1x1 "
        "padding=0x0x1:0x1x0 dilation=1x1x1 fp32 direct");
  CHECK(to_text(elementwise(KernelKind::relu, KernelPhase::backward_data)) ==
        "relu/backward_data in=2x4x1x5x5 out=2x4x1x5x5 fp32 direct");
}

TEST_CASE("KernelSpec: an upsampling has the window that goes back") {
  KernelSpec spec{.kind = KernelKind::upsample};
  spec.in = {{2, 4, 1, 3, 5}};
  spec.out = {{2, 4, 1, 5, 10}};
  spec.window.dims[1] = {.kernel = 2, .stride = 2, .padding_begin = 1};
  spec.window.dims[2] = {.kernel = 2, .stride = 2};
  CHECK(to_text(spec) ==
        "upsample/forward in=2x4x1x3x5 out=2x4x1x5x10 kernel=1x2x2 stride=1x2x2 "
        "padding=0x1x0:0x0x0 dilation=1x1x1 fp32 direct");
  CHECK(bytes(spec) == 4.0 * (2 * 4 * 3 * 5 + 2 * 4 * 5 * 10));
  KernelSpec back = spec;
  back.phase = KernelPhase::backward_data;
  CHECK(bytes(back) == bytes(spec));
  CHECK(canonical(spec).window.dims[1].padding_end == 1);
}

TEST_CASE("KernelSpec: an interpolation is a mean of two inputs in each dim that grows") {
  KernelSpec spec{.kind = KernelKind::interpolate};
  spec.in = {{2, 4, 1, 4, 5}};
  spec.out = {{2, 4, 1, 5, 10}};
  spec.window.dims[1] = {.kernel = 4, .stride = 2};
  CHECK(flops(spec) == 2.0 * 2 * (2 * 4 * 5 * 10));
  spec.window.dims[2] = {.kernel = 4, .stride = 2};
  CHECK(flops(spec) == 2.0 * 4 * (2 * 4 * 5 * 10));
  CHECK(bytes(spec) == 4.0 * (2 * 4 * 4 * 5 + 2 * 4 * 5 * 10));
  CHECK(to_text(spec).starts_with("interpolate/forward in=2x4x1x4x5 out=2x4x1x5x10 kernel=1x4x4 "));
}

TEST_CASE("KernelSpec: a multiply-add counts two, in all three phases alike") {
  KernelSpec spec = convolution();
  CHECK(flops(spec) == 2.0 * (2 * 8 * 5 * 4) * 4 * 9);
  for (KernelPhase phase : {KernelPhase::backward_data, KernelPhase::backward_filter}) {
    spec.phase = phase;
    CHECK(flops(spec) == flops(convolution()));
  }
  spec.groups = 4;
  CHECK(flops(spec) == flops(convolution()) / 4);
}

TEST_CASE("KernelSpec: bytes of a convolution are input, output and weight") {
  KernelSpec spec = convolution();
  CHECK(bytes(spec) == 4.0 * (2 * 4 * 6 * 5 + 2 * 8 * 5 * 4 + 8 * 4 * 9));
  spec.precision = Precision::fp64;
  CHECK(bytes(spec) == 2 * bytes(convolution()));
  spec.groups = 2;
  CHECK(bytes(spec) == 8.0 * (2 * 4 * 6 * 5 + 2 * 8 * 5 * 4 + 8 * 2 * 9));
}

TEST_CASE("KernelSpec: in 16 bits, activations halve and parameters stay") {
  constexpr double in = 2 * 4 * 6 * 5;
  constexpr double out = 2 * 8 * 5 * 4;
  constexpr double weight = 8 * 4 * 9;
  KernelSpec spec = convolution();
  spec.precision = Precision::bf16;
  CHECK(bytes(spec) == 2.0 * (in + out + weight));
  spec.phase = KernelPhase::backward_filter;
  CHECK(bytes(spec) == 2.0 * (in + out) + 4.0 * weight);
  spec.precision = Precision::tf32;
  CHECK(bytes(spec) == 4.0 * (in + out + weight));
  constexpr double elements = 2 * 4 * 5 * 5;
  KernelSpec update = elementwise(KernelKind::sgd, KernelPhase::update);
  update.precision = Precision::fp16;
  CHECK(bytes(update) == (5 * 4.0 + 2.0) * elements);
  KernelSpec loss = elementwise(KernelKind::softmax_cross_entropy, KernelPhase::forward);
  loss.precision = Precision::fp16;
  CHECK(bytes(loss) == (2.0 + 4.0) * elements);
  KernelSpec error = elementwise(KernelKind::mean_squared_error, KernelPhase::forward);
  error.precision = Precision::bf16;
  CHECK(bytes(error) == (2.0 + 4.0 + 4.0) * elements);
  KernelSpec relu = elementwise(KernelKind::relu, KernelPhase::forward);
  relu.precision = Precision::bf16;
  CHECK(bytes(relu) == 2 * 2.0 * elements);
  CHECK(to_text(relu).ends_with(" bf16 direct"));
}

TEST_CASE("KernelSpec: tensors that an element-wise kernel passes over") {
  using enum KernelKind;
  using enum KernelPhase;
  struct Row {
    KernelKind kind;
    KernelPhase phase;
    bool relu;
    bool residual;
    int tensors;
  };
  constexpr double tensor_bytes = 4.0 * 2 * 4 * 5 * 5;
  for (const Row& row : std::vector<Row>{{batch_norm, forward_statistics, false, false, 1},
                                         {batch_norm, forward, false, false, 2},
                                         {batch_norm, forward, true, false, 2},
                                         {batch_norm, forward, true, true, 3},
                                         {batch_norm, backward_statistics, false, false, 2},
                                         {batch_norm, backward_statistics, true, false, 3},
                                         {batch_norm, backward_statistics, true, true, 4},
                                         {batch_norm, backward_data, false, false, 3},
                                         {batch_norm, backward_data, true, false, 4},
                                         {batch_norm, backward_data, true, true, 3},
                                         {bias, forward, false, false, 2},
                                         {bias, backward_filter, false, false, 1},
                                         {add, forward, false, false, 3},
                                         {add, backward_data, false, false, 2},
                                         {accumulate, forward, false, false, 3},
                                         {channel_shuffle, forward, false, false, 2},
                                         {channel_shuffle, backward_data, false, false, 2},
                                         {local_response_norm, forward, false, false, 2},
                                         {local_response_norm, backward_data, false, false, 3},
                                         {mean_squared_error, forward, false, false, 3},
                                         {mean_squared_error, backward_data, false, false, 2},
                                         {relu, forward, false, false, 2},
                                         {relu, backward_data, false, false, 3},
                                         {sgd, update, false, false, 5}}) {
    KernelSpec spec = elementwise(row.kind, row.phase);
    spec.relu = row.relu;
    spec.residual = row.residual;
    CAPTURE(to_text(spec));
    CHECK(bytes(spec) == row.tensors * tensor_bytes);
  }
}

TEST_CASE("KernelSpec: names of kinds, phases and algorithms are distinct") {
  const auto distinct = [](const auto& all) {
    std::set<std::string_view> names;
    for (auto value : all) names.insert(to_text(value));
    return names.size() == all.size();
  };
  CHECK(distinct(Enumerators<KernelKind>::all));
  CHECK(distinct(Enumerators<KernelPhase>::all));
  CHECK(distinct(Enumerators<KernelAlgorithm>::all));
}

}  // namespace cnnplan::test
