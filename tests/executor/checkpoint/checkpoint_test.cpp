// Tests trainings that stop and go on with one plan on the same ranks: they end in the same bits.
#include <cmath>
#include <cstring>
#include <filesystem>
#include <random>

#include "executor/checkpoint/checkpoint_writer.hpp"
#include "planner/base/durable_file.hpp"
#include "planner/base/file.hpp"
#include "tests/executor/checkpoint/checkpoint_training.hpp"
#include "tests/executor/data/data_file.hpp"
#include "tests/executor/training/residual_plan.hpp"
#include "tests/executor/training/training_run.hpp"

namespace cnnplan::test {
namespace {

// Returns the same number on all ranks.
std::int64_t random_below(std::int64_t end) {
  static std::mt19937 numbers(20);
  return std::uniform_int_distribution<std::int64_t>(0, end - 1)(numbers);
}

// Makes eleven samples for batches of four: a pass has two steps and leaves three samples out.
DataFile sample_file() {
  return DataFile(
      std::vector<TestDataset>{counted("/samples", FileElement::fp32, {11, 2, 6, 5}, 11),
                               counted("/labels", FileElement::uint8, {11}, 4)});
}

void check_same_ending(const Plan& given,
                       const TrainingOptions& options,
                       const Communicator& world) {
  const Plan plan = repeatable(given, tested_backend("reference"), world);
  const SharedFolder folder(world);
  const Ending expected = ending_of(plan, options, folder, world);
  const auto steps = static_cast<std::int64_t>(expected.report.loss.size());
  TrainingOptions stopped = options;
  stopped.checkpoint_folder = stopped.restart_folder = folder.path("state");
  // The training stops twice, and then runs to its end.
  const std::int64_t first = 1 + random_below(steps - 2);
  const std::int64_t second = first + 1 + random_below(steps - first - 1);
  CAPTURE(first);
  CAPTURE(second);
  stop_after(first, static_cast<int>(random_below(world.size())), plan, stopped, world);
  stop_after(second, static_cast<int>(random_below(world.size())), plan, stopped, world);
  const Ending ending = ending_of(plan, stopped, folder, world);
  CHECK(ending.report.loss == expected.report.loss);
  CHECK(ending.report.test_accuracy == expected.report.test_accuracy);
  CHECK(ending.report.test_loss == expected.report.test_loss);
  CHECK(ending.state == expected.state);
}

// Replaces the first value of each slice of a tensor, and all digests in the index.
void poison(const std::string& folder, const std::string& tensor, float value) {
  const std::string index = checkpoint_file(folder);
  Checkpoint checkpoint = parse_checkpoint(read_file(index), index);
  const auto path = [&](const CheckpointPart& part) {
    return (std::filesystem::path(folder) / part.file).string();
  };
  for (const StoredTensor& stored : checkpoint.tensors) {
    if (stored.name != tensor) continue;
    for (const StoredSlice& slice : stored.slices) {
      const std::string file = path(checkpoint.parts[slice.part]);
      std::string bytes = read_file(file);
      std::memcpy(bytes.data() + slice.offset_bytes, &value, sizeof value);
      write_file(file, bytes);
    }
  }
  for (CheckpointPart& part : checkpoint.parts) part.sha256 = digest_of(path(part)).sha256;
  write_file(index, to_json(checkpoint));
}

}  // namespace

TEST_CASE("restart: ends bit for bit as a training that was never stopped") {
  const Communicator world = Communicator::world();
  for (const Axis axis : {Axis::n, Axis::h, Axis::w, Axis::c, Axis::r}) {
    for (int trial = 0; trial < 3; ++trial) {
      check_same_ending(checkpointed_plan(axis, world.size()), checkpointed_steps(9), world);
    }
  }
}

TEST_CASE("restart: with momentum in shards") {
  const Communicator world = Communicator::world();
  for (const Axis axis : {Axis::n, Axis::h, Axis::c}) {
    for (const Precision precision : {Precision::fp32, Precision::bf16}) {
      Plan plan = checkpointed_plan(axis, world.size());
      set_gradient_allreduce(plan, AllreduceAlgorithm::ring);
      plan.sharded_update = true;
      plan.precision = precision;
      check_same_ending(plan, checkpointed_steps(7), world);
    }
  }
}

TEST_CASE("restart: in all precisions") {
  const Communicator world = Communicator::world();
  for (const Precision precision : {Precision::fp64, Precision::bf16, Precision::fp16}) {
    Plan plan = checkpointed_plan(Axis::n, world.size());
    plan.precision = precision;
    check_same_ending(plan, checkpointed_steps(7), world);
  }
}

TEST_CASE("restart: samples of a file keep their order, and evaluations their epochs") {
  const DataFile data = sample_file();
  TrainingOptions options = checkpointed_steps(1);
  options.data_file = options.test_file = data.file();
  options.epochs = 5;
  for (int trial = 0; trial < 4; ++trial) {
    check_same_ending(checkpointed_plan(Axis::n, data.world().size()), options, data.world());
  }
}

TEST_CASE("restart: losses of test data continue where data have targets") {
  const Communicator world = Communicator::world();
  Plan plan = checkpointed_plan(Axis::n, world.size());
  std::vector<Layer> layers = plan.network.layers().elements();
  layers.back().parameters = MeanSquaredError{};
  plan.network = Network("regression", layers);
  const std::int64_t outputs = plan.network.output_shape(plan.network.loss_layer(), 1)[Dim::c];
  const DataFile data(
      std::vector<TestDataset>{counted("/samples", FileElement::fp32, {11, 2, 6, 5}, 11),
                               counted("/targets", FileElement::fp32, {11, outputs}, 3)});
  TrainingOptions options = checkpointed_steps(1);
  options.data_file = options.test_file = data.file();
  options.epochs = 4;
  check_same_ending(plan, options, world);
}

TEST_CASE("restart: batch norms of each rank keep their own running values") {
  const Communicator world = Communicator::world();
  Plan plan = checkpointed_plan(Axis::n, world.size());
  plan.layers[plan.network.index_of("bn").value()].statistics = BatchNormStatistics::local;
  check_same_ending(plan, checkpointed_steps(8), world);
}

TEST_CASE("restart: cycles that a check raised stay raised, and earlier checks are kept") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const Plan plan = repeatable(residual_plan(world.size(), 1), tested_backend("reference"), world);
  TrainingOptions options = checkpointed_steps(6);
  options.gradient_check_period = 3;
  options.gradient_limit = 0.0;  // until layers are run in order
  const RunReport expected = train(plan, options, world, {});
  options.checkpoint_folder = options.restart_folder = folder.path("state");
  stop_after(2, 0, plan, options, world);
  stop_after(4, 0, plan, options, world);
  const RunReport report = train(plan, options, world, {});
  CHECK(report.loss == expected.loss);
  CHECK(report.gradient_checks == expected.gradient_checks);
}

TEST_CASE("checkpoint: is saved after every epoch or every N steps, and at the end") {
  const DataFile data = sample_file();
  const Communicator& world = data.world();
  const auto saved = [&](std::int64_t epochs, std::int64_t period) {
    const SharedFolder folder(world);
    TrainingOptions options = checkpointed_steps(7);
    options.data_file = data.file();
    options.epochs = epochs;
    options.checkpoint_folder = folder.path("state");
    options.checkpoint_period = period;
    std::vector<std::int64_t> steps;
    TrainingCallbacks callbacks;
    callbacks.saved = [&](std::int64_t step) { steps.push_back(step); };
    train(checkpointed_plan(Axis::n, world.size()), options, world, callbacks);
    CHECK(read_checkpoint(options.checkpoint_folder, world).step == (epochs > 0 ? 6 : 7));
    return world.broadcast(std::string(steps.begin(), steps.end()), 0);
  };
  CHECK(saved(3, 0) == "\2\4\6");
  CHECK(saved(0, 0) == "\7");
  CHECK(saved(0, 3) == "\3\6\7");
  CHECK(saved(3, 5) == "\5\6");
}

TEST_CASE("checkpoint: restarting a finished training runs no step and ends in the same state") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const Plan plan = checkpointed_plan(Axis::n, world.size());
  TrainingOptions options = checkpointed_steps(4);
  options.checkpoint_folder = options.restart_folder = folder.path("state");
  const Ending first = ending_of(plan, options, folder, world);
  const Ending again = ending_of(plan, options, folder, world);
  CHECK(again.report.loss == first.report.loss);
  CHECK(again.state == first.state);
  CHECK(!TensorFileReader(folder.path("end.h5")).has("/loss"));
}

TEST_CASE("checkpoint: a folder that ranks do not share is refused before the first step") {
  const Communicator world = Communicator::world();
  if (world.size() == 1) return;
  const SharedFolder folder(world);
  TrainingOptions options = checkpointed_steps(3);
  options.checkpoint_folder = folder.path(world.rank() == 0 ? "here" : "there");
  CHECK_THROWS_WITH_AS(train(checkpointed_plan(Axis::n, world.size()), options, world, {}),
                       doctest::Contains("does not see what rank 0 writes"),
                       Error);
  world.barrier();
  if (world.rank() == 0) CHECK(std::filesystem::is_empty(options.checkpoint_folder));
}

TEST_CASE("checkpoint: only the files that a killed training left over are removed") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const Plan plan = checkpointed_plan(Axis::n, world.size());
  TrainingOptions options = checkpointed_steps(3);
  options.checkpoint_folder = options.restart_folder = folder.path("state");
  train(plan, options, world, {});
  const auto path = [&](const std::string& name) {
    return (std::filesystem::path(options.checkpoint_folder) / name).string();
  };
  const std::vector<std::string> left_over{
      "part-2-0.bin", "part-2-7.bin", "part-1-0.bin.partial", "checkpoint.json.partial"};
  const std::vector<std::string> others{"notes.txt",
                                        "part-00001.bin",
                                        "part-1.bin",
                                        "part-1-2-3.bin",
                                        "part-01-0.bin",
                                        "part-of-a-book.bin",
                                        "part-a.partial"};
  if (world.rank() == 0) {
    for (const std::string& name : left_over) write_file(path(name), "half");
    for (const std::string& name : others) write_file(path(name), "mine");
  }
  world.barrier();
  options.steps = 5;
  stop_after(4, 0, plan, options, world);
  CHECK(read_checkpoint(options.checkpoint_folder, world).generation == 2);
  for (const std::string& name : left_over) {
    if (name == "part-2-0.bin") continue;  // the new one
    CHECK(!file_exists(path(name)));
  }
  for (const std::string& name : others) CHECK(file_exists(path(name)));
  CHECK(!file_exists(path(part_name(1, 0))));
  train(plan, options, world, {});
}

TEST_CASE("checkpoint: values that no training saves are refused, with right digests, too") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const Plan plan = checkpointed_plan(Axis::n, world.size());
  TrainingOptions options = checkpointed_steps(3);
  options.checkpoint_folder = folder.path("state");
  train(plan, options, world, {});
  options.restart_folder = std::exchange(options.checkpoint_folder, "");
  options.steps = 5;
  const auto refused = [&](const std::string& tensor, float value) {
    if (world.rank() == 0) poison(options.restart_folder, tensor, value);
    world.barrier();
    CAPTURE(tensor);
    try {
      train(plan, options, world, {});
      FAIL("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.exit_code() == ExitCode::bad_input);
      CHECK(std::string(error.what()).find(tensor) != std::string::npos);
    }
    world.barrier();
    if (world.rank() == 0) poison(options.restart_folder, tensor, 1.0F);
    world.barrier();
  };
  refused("/conv/weight", HUGE_VALF);
  refused("/fc/weight_momentum", std::nanf(""));
  refused("/bn/mean", std::nanf(""));
  refused("/bn/variance", -1.0F);
}

TEST_CASE("checkpoint: all ranks report a missing part before the first step") {
  const Communicator world = Communicator::world();
  const SharedFolder folder(world);
  const Plan plan = checkpointed_plan(Axis::n, world.size());
  TrainingOptions options = checkpointed_steps(3);
  options.checkpoint_folder = folder.path("state");
  train(plan, options, world, {});
  options.restart_folder = std::exchange(options.checkpoint_folder, "");
  options.steps = 5;
  const int last = world.size() - 1;
  if (world.rank() == 0) {
    std::filesystem::remove(std::filesystem::path(options.restart_folder) / part_name(1, last));
  }
  world.barrier();
  try {
    train(plan, options, world, {.placed = {}, .note = {}, .progress = [](const Progress&) {
                                   FAIL("a step was run");
                                 }});
    FAIL("nothing was thrown");
  } catch (const Error& error) {
    CHECK(error.exit_code() == ExitCode::bad_input);
    CHECK(std::string(error.what()).find(part_name(1, last)) != std::string::npos);
  }
}

}  // namespace cnnplan::test
