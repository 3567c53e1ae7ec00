// Cuts random convolutions into blocks of positions.
#include "executor/backend/onednn/convolution/position_blocks.hpp"

#include <vector>

#include <doctest/doctest.h>

#include "tests/executor/backend/harness.hpp"

namespace cnnplan::onednn {
namespace {

using test::Random;

KernelSpec random_spec(Random& random) {
  KernelSpec spec;
  spec.in = {{random.integer(1, 3), 2, 1, 1, 1}};
  spec.out = {{spec.in[Dim::n], 3, 1, 1, 1}};
  for (std::size_t i = 0; i < spec.window.dims.size(); ++i) {
    WindowDim& window = spec.window.dims[i];
    window = {.kernel = random.integer(1, 4), .stride = random.integer(1, 3)};
    window.dilation = random.integer(1, 2);
    window.padding_begin = random.integer(0, window.reach() - 1);
    window.padding_end = random.integer(0, window.reach() - 1);
    spec.in[spatial_dims[i]] = random.integer(window.reach(), window.reach() + 12);
    spec.out[spatial_dims[i]] = output_length(spec.in[spatial_dims[i]], window);
  }
  return spec;
}

std::vector<PositionBlock> position_blocks(const KernelSpec& spec, std::int64_t most) {
  std::vector<PositionBlock> blocks;
  for_each_position_block(spec, most, [&](const PositionBlock& block) { blocks.push_back(block); });
  return blocks;
}

// Returns the input that a tap reads for an output of a block, counted in the whole input.
std::int64_t input_of(const PositionBlock& block,
                      std::size_t dim,
                      std::int64_t output,
                      std::int64_t tap) {
  const WindowDim& window = block.spec.window.dims[dim];
  const Dim axis = spatial_dims[dim];
  return block.in[axis].begin + (output - block.out[axis].begin) * window.stride -
         window.padding_begin + tap * window.dilation;
}

}  // namespace

TEST_CASE("position blocks: they cover all outputs once, and have the inputs of their windows") {
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    const KernelSpec spec = random_spec(random);
    const std::int64_t most = random.integer(1, 60);
    INFO(to_text(spec), " most ", most);
    std::vector<int> covered(volume(spec.out));
    for (const PositionBlock& block : position_blocks(spec, most)) {
      CHECK(volume(block.out) / spec.out[Dim::c] <= most);
      CHECK(block.spec.in == shape_of(block.in));
      CHECK(block.spec.out == shape_of(block.out));
      for_each_run(spec.out, block.out, [&](std::int64_t place, std::int64_t count) {
        for (std::int64_t j = place; j < place + count; ++j) ++covered[j];
      });
      for (std::size_t dim = 0; dim < spatial_dims.size(); ++dim) {
        const Dim axis = spatial_dims[dim];
        const WindowDim& window = spec.window.dims[dim];
        for (std::int64_t out = block.out[axis].begin; out < block.out[axis].end; ++out) {
          for (std::int64_t tap = 0; tap < window.kernel; ++tap) {
            const std::int64_t in =
                out * window.stride - window.padding_begin + tap * window.dilation;
            if (in < 0 || in >= spec.in[axis]) continue;
            CHECK(input_of(block, dim, out, tap) == in);
            CHECK((in >= block.in[axis].begin && in < block.in[axis].end));
          }
        }
      }
    }
    CHECK(covered == std::vector<int>(covered.size(), 1));
  }
}

TEST_CASE("position blocks: whole samples stay together where they are few positions") {
  KernelSpec spec;
  spec.in = spec.out = {{8, 4, 1, 10, 10}};
  const auto blocks = position_blocks(spec, 350);
  REQUIRE(blocks.size() == 3);
  CHECK(blocks[0].out[Dim::n] == Range{0, 3});
  CHECK(blocks[0].out[Dim::h] == Range{0, 10});
}

}  // namespace cnnplan::onednn
