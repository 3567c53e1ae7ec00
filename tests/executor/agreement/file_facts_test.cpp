// Tests that facts of files show other contents, and that ranks without a file get a reason.
#include "executor/agreement/file_facts.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "executor/agreement/sampled_blocks.hpp"
#include "planner/base/file.hpp"
#include "tests/executor/data/data_file.hpp"

namespace cnnplan {
namespace {

std::string value_of(const std::vector<TestDataset>& datasets) {
  const DataFile data(datasets);
  const std::vector<Fact> facts = sample_facts("--data", data.file());
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].name == "the contents of --data " + data.file());
  return facts[0].value;
}

TEST_CASE("facts of samples show shapes, values, labels and attributes") {
  const std::string value = value_of(image_file());
  CHECK(value.find("/samples float32 (11, 3, 6, 5) SHA-256 ") == 0);
  CHECK(value.find(", /labels uint8 (11) SHA-256 ") != std::string::npos);
  CHECK(value_of(image_file()) == value);
  std::vector<TestDataset> last_value = image_file();
  last_value[0].values.back() += 1.0;
  CHECK(value_of(last_value) != value);
  std::vector<TestDataset> first_label = image_file();
  first_label[1].values.front() += 1.0;
  CHECK(value_of(first_label) != value);
  std::vector<TestDataset> scaled = image_file();
  scaled[0].attributes = {{"std", {2.0}}};
  CHECK(value_of(scaled) != value);
}

TEST_CASE("any sample of a small dataset may show that contents differ") {
  const std::vector<TestDataset> data{counted("/samples", FileElement::uint8, {100, 1, 8, 8}, 251)};
  const std::string value = value_of(data);
  for (const std::size_t i : {0, 17 * 64 + 3, 71 * 64, 6399}) {
    std::vector<TestDataset> other = data;
    other[0].values[i] += 1.0;
    CHECK(value_of(other) != value);
  }
}

// The dataset has 1024 blocks of 16384 values.
TEST_CASE("of a large dataset, some blocks are compared, always the first and the last") {
  std::vector<TestDataset> large{counted("/samples", FileElement::uint8, {64, 1, 512, 512}, 251)};
  const std::string value = value_of(large);
  const auto differs = [&](std::size_t first, std::size_t count) {
    std::vector<TestDataset> other = large;
    for (std::size_t i = first; i < first + count; ++i) other[0].values[i] += 1.0;
    return value_of(other) != value;
  };
  const std::size_t all = large[0].values.size();
  CHECK(differs(0, 1));
  CHECK(differs(all - 1, 1));
  CHECK(differs(all / 2 + 77, all / 127 + std::size_t{2} * 16384));  // neighbouring blocks
  const std::vector<Selection> blocks = sampled_blocks(std::vector<std::int64_t>{64, 1, 512, 512});
  const std::int64_t left_out = [&] {
    std::int64_t block = 0;  // the first that is not in the list
    for (const Selection& found : blocks) {
      if (found.start[0] * 16 + found.start[2] / 32 == block) ++block;
    }
    return block;
  }();
  CHECK_FALSE(differs(left_out * 16384, 16384));
}

TEST_CASE("another size of the file shows, also if all values are equal") {
  const std::vector<TestDataset> data = image_file();
  std::vector<TestDataset> more = data;
  more.push_back(counted("/unread", FileElement::uint8, {5000}, 251));
  CHECK(value_of(data) != value_of(more));
}

TEST_CASE("facts of other files are a digest of all bytes") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const std::string file = folder.path(std::to_string(world.rank()));
  write_file(file, "abc");
  const std::vector<Fact> facts = file_facts("--weights", file);
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].value == "SHA-256 ba7816bf8f01cfea");  // FIPS 180-2, appendix B.1
}

TEST_CASE("a file that is missing has the reason as its value, and no file has no facts") {
  CHECK(file_facts("--weights", "").empty());
  CHECK(sample_facts("--data", "").empty());
  CHECK(file_facts("--weights", "missing.h5").at(0).value.find("missing.h5: ") == 0);
  CHECK(sample_facts("--data", "missing.h5").at(0).value.find("missing.h5: ") == 0);
}

}  // namespace
}  // namespace cnnplan
