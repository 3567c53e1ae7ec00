// Tests that the tensors of a checkpoint are those of its network, each once and in its shape.
#include "planner/commands/checkpoint_command.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/network/network.hpp"
#include "planner/run/checkpoint.hpp"
#include "planner/tensor/box.hpp"
#include "tests/planner/base/folder.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

Network small_network() {
  Convolution convolution{.filters = 4, .bias = true};
  return Network("small",
                 {{"in", {}, Input{.channels = 2, .size = {1, 6, 6}}},
                  {"conv", {"in"}, convolution},
                  {"bn", {"conv"}, BatchNorm{}},
                  {"pool", {"bn"}, GlobalPooling{}},
                  {"fc", {"pool"}, FullyConnected{.outputs = 3}},
                  {"loss", {"fc"}, SoftmaxCrossEntropy{}}});
}

// Adds a tensor of zeros behind the others in the only part.
void add_tensor(Checkpoint& checkpoint, const std::string& name, const Shape& shape) {
  constexpr std::int64_t element_bytes = 4;
  CheckpointPart& part = checkpoint.parts.front();
  checkpoint.tensors.push_back(
      {.name = name,
       .shape = shape,
       .slices = {{.part = 0, .offset_bytes = part.bytes, .box = whole(shape)}}});
  part.bytes += volume(shape) * element_bytes;
}

void add_parameter(Checkpoint& checkpoint, const std::string& name, const Shape& shape) {
  add_tensor(checkpoint, name, shape);
  add_tensor(checkpoint, name + "_momentum", shape);
}

const Shape four_channels{{1, 1, 1, 1, 4}};

Checkpoint saved_state() {
  Checkpoint checkpoint{.plan_sha256 = std::string(64, '8'), .network = small_network()};
  checkpoint.parts = {{.file = "part-0-0.bin", .bytes = 0, .sha256 = ""}};
  add_parameter(checkpoint, "/conv/weight", Shape{{4, 2, 1, 1, 1}});
  add_parameter(checkpoint, "/conv/bias", four_channels);
  add_parameter(checkpoint, "/bn/scale", four_channels);
  add_parameter(checkpoint, "/bn/shift", four_channels);
  add_tensor(checkpoint, "/bn/mean", four_channels);
  add_tensor(checkpoint, "/bn/variance", four_channels);
  add_parameter(checkpoint, "/fc/weight", Shape{{3, 4, 1, 1, 1}});
  add_parameter(checkpoint, "/fc/bias", Shape{{1, 1, 1, 1, 3}});
  return checkpoint;
}

class SavedState : public Folder {
 public:
  // Writes the part and checks the checkpoint, as `cnnplan check` does.
  void check(Checkpoint checkpoint) const {
    CheckpointPart& part = checkpoint.parts.front();
    write_file(file(part.file), std::string(part.bytes, '\0'));
    part.sha256 = digest_of(file(part.file)).sha256;
    check_checkpoint(to_json(checkpoint), file("checkpoint.json"));
  }
};

using Change = std::function<void(Checkpoint& checkpoint)>;

void give_shape(StoredTensor& tensor, const Shape& shape) {
  tensor.shape = shape;
  tensor.slices.front().box = whole(shape);
}

TEST_CASE_FIXTURE(SavedState, "check_checkpoint: the tensors of the network are accepted") {
  CHECK_NOTHROW(check(saved_state()));
}

TEST_CASE_FIXTURE(SavedState, "check_checkpoint: a tensor too many, too few or of another shape") {
  constexpr const char* once = "each parameter and running value of the network once";
  const auto more = [](const std::string& name, const Shape& shape) -> Change {
    return [=](Checkpoint& checkpoint) { add_tensor(checkpoint, name, shape); };
  };
  const auto shaped = [](std::size_t index, const Shape& shape) -> Change {
    return [=](Checkpoint& checkpoint) { give_shape(checkpoint.tensors[index], shape); };
  };
  struct Row {
    const char* what;
    Change change;
    const char* pointer;
    const char* value;
    const char* allowed;
  };
  const std::vector<Row> rows{
      {"unknown layer", more("/none/weight", four_channels), "/tensors/14", "/none/weight", once},
      {"unknown role", more("/bn/weight", four_channels), "/tensors/14", "/bn/weight", once},
      {"twice", more("/conv/bias", four_channels), "/tensors/14", "/conv/bias", once},
      {"no momentum", more("/bn/mean_momentum", four_channels), "/tensors/14", "_momentum", once},
      {"input", more("/in/bias", Shape{{1, 1, 1, 1, 2}}), "/tensors/14", "/in/bias", once},
      {"transposed", shaped(0, Shape{{2, 4, 1, 1, 1}}), "/tensors/0", "2x4x1x1x1", "4x2x1x1x1"},
      {"window", shaped(1, Shape{{4, 1, 1, 1, 2}}), "/tensors/1", "4x1x1x1x2", "4x2x1x1x1"},
      {"one channel less", shaped(9, Shape{{1, 1, 1, 1, 3}}), "/tensors/9", "1x3", "1x1x1x1x4"},
      {"one too few",
       [](Checkpoint& c) { c.tensors.pop_back(); },
       "/tensors",
       "/fc/bias_mom",
       "all"},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.what));
    Checkpoint checkpoint = saved_state();
    row.change(checkpoint);
    const InputProblem problem = problem_of([&] { check(checkpoint); });
    CHECK(problem.pointer == row.pointer);
    CHECK(problem.value.find(row.value) != std::string::npos);
    CHECK(problem.allowed.find(row.allowed) != std::string::npos);
  }
}

}  // namespace
}  // namespace cnnplan::test
