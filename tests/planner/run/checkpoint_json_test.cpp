// Tests checkpoint files: refusals and round trips.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "planner/run/checkpoint.hpp"
#include "planner/run/checkpoint_check.hpp"
#include "tests/planner/json/broken_document.hpp"
#include "tests/planner/json/samples.hpp"

namespace cnnplan::test {

TEST_CASE("to_json: checkpoints come back equal") {
  Checkpoint checkpoint = sample_checkpoint();
  CHECK(parse_checkpoint(to_json(checkpoint), "c.json") == checkpoint);
  checkpoint.test_loss = {0.0, 1e9};
  checkpoint.test_accuracy.clear();
  CHECK(parse_checkpoint(to_json(checkpoint), "c.json") == checkpoint);
}

TEST_CASE("parse_checkpoint: refusals name pointer, value and what is allowed") {
  const std::string first = "\"offset_bytes\": 24";
  check_refusals(
      to_json(sample_checkpoint()),
      parse_checkpoint,
      {
          {"cnnplan.checkpoint/1", "cnnplan.run/1", "/schema", "run/1", "checkpoint/1"},
          {"\"18446744073709551615\"", "\"18446744073709551616\"", "/seed", "616", "64-bit"},
          {"\"18446744073709551615\"", "\"-1\"", "/seed", "-1", "digits"},
          {"\"step\": 3", "\"step\": 4", "/loss", "a list of 3", "each of the 4 steps"},
          {"\"step\": 3", "\"step\": -1", "/step", "-1", "an integer from 0"},
          {"\"samples\"", "\"sample\"", "/sample", "unknown key", "samples"},
          {"\"loss_scale\": 1024.0", "\"loss_scale\": 0", "/loss_scale", "0", "above 0.0"},
          {"\"fp64\"", "\"bf16\"", "/element", "\"bf16\"", "\"fp32\", \"fp64\""},
          {"part-2-0.bin", "../part", "/parts/0/file", "../part", "beside this one"},
          {"part-2-0.bin", "part\\u0000", "/parts/0/file", "part", "beside this one"},
          {first, "\"offset_bytes\": 20", "/tensors/0/slices/0/offset_bytes", "20", "of 8"},
          {"\"bytes\": 80",
           "\"bytes\": 55",
           "/tensors/0/slices/0/offset_bytes",
           "24",
           "at most 23"},
          {"\"part\": 1", "\"part\": 2", "/tensors/0/slices/1/part", "2", "below 2"},
          {"[3, 2, 1, 1, 1]", "[3, 2, 1, 1, 2]", "/tensors/0/slices", "6 elements", "12, all of"},
          {"\"end\": [2, 2", "\"end\": [2, 3", "/tensors/0/slices/0", "[0,3)", "3x2x1x1x1"},
          {"\"end\": [2, 2", "\"end\": [3, 2", "/tensors/0/slices", "[2,3)", "disjoint"},
          {"\"share\": 0.75", "\"share\": 2", "/tensors/1/slices/0/share", "2", "from 0.0 to 1.0"},
          {"\"cycles\": 3}", "\"cycles\": -1}", "/raised_cycles/0/cycles", "-1", "from 0 to 1000"},
          {std::string(64, '8'), "8", "/plan_sha256", "\"8\"", "64 digits"},
      });
}

TEST_CASE("validate: running values may overlap, parameters may not") {
  Checkpoint checkpoint = sample_checkpoint();
  CHECK_NOTHROW(validate(checkpoint, "c.json"));
  checkpoint.tensors[1].name = "/bn/scale";
  CHECK_THROWS_AS(validate(checkpoint, "c.json"), InputError);
}

TEST_CASE("validate: running values leave no channel out") {
  Checkpoint checkpoint = sample_checkpoint();
  std::vector<StoredSlice>& slices = checkpoint.tensors[1].slices;
  const std::int64_t channels = checkpoint.tensors[1].shape[Dim::w];
  REQUIRE(channels > 1);
  slices[0].box[Dim::w] = {1, channels};
  CHECK_NOTHROW(validate(checkpoint, "c.json"));
  slices[1].box[Dim::w] = {1, channels};
  CHECK_THROWS_WITH_AS(
      validate(checkpoint, "c.json"), doctest::Contains("nothing of channel 0"), InputError);
  slices[0].box[Dim::w] = slices[1].box[Dim::w] = {0, channels - 1};
  CHECK_THROWS_AS(validate(checkpoint, "c.json"), InputError);
}

}  // namespace cnnplan::test
