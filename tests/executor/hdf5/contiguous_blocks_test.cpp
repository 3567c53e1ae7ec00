// Tests reads of blocks without HDF5: they give the bytes that HDF5 gives, or leave the read to it.
#include "executor/hdf5/contiguous_blocks.hpp"

#include <filesystem>
#include <numeric>
#include <vector>

#include <doctest/doctest.h>

#include "executor/hdf5/hdf5_file.hpp"
#include "planner/base/error.hpp"
#include "tests/executor/hdf5/hdf5_fixture.hpp"
#include "tests/planner/base/random_values.hpp"

namespace cnnplan {
namespace {

const std::vector<std::int64_t> extents{5, 3, 7, 600};

std::vector<double> counted(std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

TestDataset counted_floats(const std::string& name) {
  return {.name = name,
          .element = FileElement::fp32,
          .extents = extents,
          .values = counted(element_count(extents))};
}

Selection random_block(test::RandomValues& random) {
  Selection block;
  for (std::int64_t extent : extents) {
    const auto last = static_cast<int>(extent);
    const int begin = random.boolean() ? 0 : random.small(0, last - 1);
    block.start.push_back(begin);
    block.count.push_back(random.boolean() ? last - begin : random.small(0, last - begin));
  }
  return block;
}

std::vector<float> read(const Hdf5Dataset& dataset, const Selection& block) {
  std::vector<float> values(static_cast<std::size_t>(element_count(block.count)));
  dataset.read(block, FileElement::fp32, values.data());
  return values;
}

}  // namespace

TEST_CASE("Hdf5Dataset: a block is equal whether it is read directly or through HDF5") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const std::string path = folder.path("blocks.h5");
  if (world.rank() == 0) write_datasets(path, std::vector{counted_floats("/samples")});
  world.barrier();
  const Hdf5File file = Hdf5File::open(path);
  const Hdf5Dataset library = *file.find("/samples");
  Hdf5Dataset direct = *file.find("/samples");
  direct.read_directly();
  test::RandomValues random(11);
  for (int round = 0; round < 300; ++round) {
    const Selection block = random_block(random);
    CAPTURE(extents_text(block.start));
    CAPTURE(extents_text(block.count));
    CHECK(read(direct, block) == read(library, block));
  }
}

TEST_CASE("ContiguousBlocks: leaves many small pieces far from each other to HDF5") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const std::string path = folder.path("blocks.h5");
  if (world.rank() == 0) write_datasets(path, std::vector{counted_floats("/samples")});
  world.barrier();
  const ContiguousBlocks blocks(
      {.file = path, .dataset = "/samples", .offset = 0, .element_bytes = 4, .extents = extents});
  CHECK(blocks.suits(std::vector<std::int64_t>{1, 3, 7, 600}));  // one piece
  CHECK(blocks.suits(std::vector<std::int64_t>{1, 3, 2, 600}));  // three of 4800 bytes
  CHECK(blocks.suits(std::vector<std::int64_t>{1, 2, 2, 1}));    // four
  CHECK(blocks.suits(std::vector<std::int64_t>{1, 3, 7, 300}));  // 49200 bytes with the gaps
  CHECK_FALSE(blocks.suits(std::vector<std::int64_t>{2, 3, 7, 300}));
}

TEST_CASE("Hdf5Dataset: a file that became shorter is refused with its name") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const std::string path = folder.path("blocks.h5");
  if (world.rank() == 0) write_datasets(path, std::vector{counted_floats("/samples")});
  world.barrier();
  const Hdf5File file = Hdf5File::open(path);
  Hdf5Dataset samples = *file.find("/samples");
  samples.read_directly();
  world.barrier();
  if (world.rank() == 0) std::filesystem::resize_file(path, 4096);
  world.barrier();
  std::vector<float> values(static_cast<std::size_t>(element_count(extents)));
  const Selection all{.start = {0, 0, 0, 0}, .count = extents};
  CHECK_THROWS_WITH_AS(samples.read(all, FileElement::fp32, values.data()),
                       doctest::Contains("the file ends before it"),
                       IoError);
}

}  // namespace cnnplan
