// Tests that engines exist for windows, groups and channel counts beyond well-known networks.
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "planner/kernel/kernel.hpp"
#include "planner/tensor/element.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/executor/backend/cudnn/described_gpu.hpp"
#include "tests/executor/backend/cudnn/found_engines.hpp"

namespace cnnplan::test {
namespace {

struct Row {
  const char* name;
  Shape in;
  std::int64_t filters;
  std::int64_t groups;
  std::array<WindowDim, 3> window;
};

constexpr WindowDim none{};
// The numbers are kernel, stride, padding_begin, padding_end and dilation.
constexpr WindowDim three{3, 1, 1, 1, 1};
constexpr WindowDim dilated{3, 1, 2, 2, 2};

const std::vector<Row> rows{
    {"grouped", {{8, 64, 1, 28, 28}}, 128, 4, {none, three, three}},
    {"grouped, odd", {{8, 6, 1, 28, 28}}, 8, 2, {none, three, three}},
    {"depthwise", {{8, 32, 1, 28, 28}}, 32, 32, {none, three, three}},
    {"depthwise, strided", {{8, 32, 1, 28, 28}}, 64, 32, {none, {3, 2, 0, 1, 1}, {3, 2, 0, 1, 1}}},
    {"dilated", {{8, 32, 1, 28, 28}}, 48, 1, {none, dilated, dilated}},
    {"dilated, one-sided", {{8, 32, 1, 30, 28}}, 48, 1, {none, {3, 1, 0, 2, 2}, dilated}},
    {"dilated, grouped", {{8, 32, 1, 28, 28}}, 48, 2, {none, dilated, dilated}},
    {"3-D", {{2, 16, 12, 14, 14}}, 24, 1, {three, three, three}},
    {"3-D, one-sided", {{2, 16, 12, 14, 14}}, 24, 1, {{{3, 1, 0, 1, 1}, {3, 1, 1, 0, 1}, three}}},
    {"3-D, one channel", {{2, 1, 12, 14, 14}}, 5, 1, {three, three, three}},
    {"3-D, grouped", {{2, 16, 12, 14, 14}}, 24, 2, {three, three, three}},
    {"window in depth, one slice", {{2, 16, 1, 14, 14}}, 24, 1, {three, three, three}},
    {"kernel is stride", {{8, 16, 1, 56, 56}}, 24, 1, {none, {4, 4}, {4, 4}}},
    {"stride beyond the kernel", {{8, 16, 1, 56, 56}}, 24, 1, {none, {2, 3}, {1, 2}}},
    {"1x1", {{8, 64, 1, 28, 28}}, 256, 1, {none, none, none}},
    {"kernel is the image", {{32, 512, 1, 7, 7}}, 4096, 1, {none, {7}, {7}}},
    {"1x1 image", {{32, 25088, 1, 1, 1}}, 4096, 1, {none, none, none}},
    {"1x1 image, one sample", {{1, 2048, 1, 1, 1}}, 1000, 1, {none, none, none}},
    {"1 channel", {{8, 1, 1, 28, 28}}, 20, 1, {none, {5}, {5}}},
    {"3 channels", {{8, 3, 1, 64, 64}}, 64, 1, {none, {7, 2, 3, 3, 1}, {7, 2, 3, 3, 1}}},
    {"18 channels", {{2, 18, 1, 66, 64}}, 128, 1, {none, {5, 2, 2, 0, 1}, {5, 2, 2, 2, 1}}},
    {"odd", {{3, 17, 1, 19, 23}}, 13, 1, {none, {3, 1, 1, 0, 1}, {3, 1, 0, 1, 1}}},
    {"1 filter", {{3, 17, 1, 19, 23}}, 1, 1, {none, {3, 1, 1, 0, 1}, {3, 1, 0, 1, 1}}},
    {"first row", {{8, 64, 1, 2, 28}}, 64, 1, {none, {3, 1, 1, 0, 1}, three}},
    {"inner row", {{8, 64, 1, 3, 28}}, 64, 1, {none, {3}, three}},
    {"padding of a whole reach", {{8, 64, 1, 5, 5}}, 64, 1, {none, {5, 1, 4, 0, 1}, {5, 1, 0, 4}}},
    {"large", {{1, 18, 1, 2048, 2048}}, 128, 1, {none, {5, 2, 2, 2, 1}, {5, 2, 2, 2, 1}}},
};

KernelSpec spec_of(const Row& row, KernelPhase phase, Precision precision) {
  KernelSpec spec{.phase = phase, .in = row.in, .out = row.in, .window = {row.window}};
  spec.groups = row.groups;
  spec.bias = true;
  spec.precision = precision;
  spec.out[Dim::c] = row.filters;
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    spec.out[dim] = output_length(spec.in[dim], spec.window.dims[i]);
  }
  return spec;
}

void check_has_all_variants(const cudnn::EngineTarget& target, const KernelSpec& spec) {
  INFO(to_text(spec));
  std::set<cudnn::ConvolutionVariant> variants;
  for (const FoundEngine& found : find_engines(target, spec, true)) variants.insert(found.variant);
  CHECK(variants.size() == cudnn::variants_of(spec).size());
}

}  // namespace

TEST_CASE("Engines: every variant of every shape has one, in every precision") {
  const cudnn::EngineTarget target(h100);
  for (const Row& row : rows) {
    for (KernelPhase phase :
         {KernelPhase::forward, KernelPhase::backward_data, KernelPhase::backward_filter}) {
      for (Precision precision : Enumerators<Precision>::all) {
        CAPTURE(std::string(row.name));
        KernelSpec spec = spec_of(row, phase, precision);
        check_has_all_variants(target, spec);
        if (phase != KernelPhase::forward) continue;
        spec.relu = true;
        check_has_all_variants(target, spec);
      }
    }
  }
}

TEST_CASE("Engines: the best one copies samples of 3 channels, and needs no copy of 8") {
  const cudnn::EngineTarget target(h100);
  constexpr WindowDim seven{7, 2, 3, 3, 1};
  for (const KernelPhase phase : {KernelPhase::forward, KernelPhase::backward_filter}) {
    CAPTURE(to_text(phase));
    const auto workspace_bytes = [&](std::int64_t channels) {
      const Row row{"", {{64, channels, 1, 224, 224}}, 64, 1, {none, seven, seven}};
      KernelSpec spec = spec_of(row, phase, Precision::bf16);
      spec.bias = false;
      return find_engines(target, spec, false).at(0).workspace_bytes;
    };
    const std::int64_t stored =
        stored_channels(3, activation_element(Precision::bf16), DeviceKind::gpu);
    const std::int64_t copy_bytes = stored * 2 * 64 * 224 * 224;
    CHECK(workspace_bytes(3) >= copy_bytes);
    CHECK(workspace_bytes(stored) < copy_bytes / 8);
  }
}

}  // namespace cnnplan::test
