// Tests data files that do not fit: every rank gets the same error with the right fields.
#include "executor/data/data_check.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "tests/executor/data/data_file.hpp"

namespace cnnplan {
namespace {

TEST_CASE("data check: targets that do not fit") {
  BatchShape scores = images;
  scores.labels[Dim::c] = 6;
  scores.has_targets = true;
  const auto problem_with = [&](const TestDataset& targets) {
    std::vector<TestDataset> datasets = image_file();
    datasets[1] = targets;
    return DataFile(datasets).problem_of(scores);
  };
  for (const auto& [targets, value] : std::vector<std::pair<TestDataset, const char*>>{
           {counted("/labels", FileElement::uint8, {11}, 9), "no such dataset, but /labels"},
           {counted("/others", FileElement::fp32, {11, 6}, 9), "no such dataset"},
           {counted("/targets", FileElement::uint8, {11, 6}, 9), "uint8 (11, 6)"},
           {counted("/targets", FileElement::fp32, {11, 5}, 9), "float32 (11, 5)"},
           {counted("/targets", FileElement::fp32, {11, 6, 1, 1}, 9), "float32 (11, 6, 1, 1)"},
           {counted("/targets", FileElement::fp32, {10, 6}, 9), "(10, 6)"}}) {
    const InputProblem problem = problem_with(targets);
    CHECK(problem.pointer == "/targets");
    CHECK(problem.value == value);
    CHECK(problem.allowed == "float32 (11, 6)");
  }
}

TEST_CASE("data check: a dataset that does not fit is named with what was found") {
  struct Case {
    std::size_t replaced;
    TestDataset by;
    const char* pointer;
    const char* value;
    const char* allowed;
  };
  const char* samples = "float32 or uint8 (N >= 4, 3, 6, 5)";
  const char* labels = "uint8 or int32 or int64 (11)";
  const std::vector<Case> cases{
      {0,
       counted("/samples", FileElement::fp32, {11, 3, 6, 4}, 9),
       "/samples",
       "float32 (11, 3, 6, 4)",
       samples},
      {0,
       counted("/samples", FileElement::fp32, {11, 3, 1, 6, 5}, 9),
       "/samples",
       "float32 (11, 3, 1, 6, 5)",
       samples},
      {0,
       counted("/samples", FileElement::int32, {11, 3, 6, 5}, 9),
       "/samples",
       "int32 (11, 3, 6, 5)",
       samples},
      {0,
       counted("/samples", FileElement::fp32, {3, 3, 6, 5}, 9),
       "/samples",
       "3 samples",
       "at least 4"},
      {0,
       counted("/images", FileElement::fp32, {11, 3, 6, 5}, 9),
       "/samples",
       "no such dataset",
       samples},
      {1, counted("/labels2", FileElement::uint8, {11}, 9), "/labels", "no such dataset", labels},
      {1,
       counted("/targets", FileElement::uint8, {11}, 9),
       "/labels",
       "no such dataset, but /targets",
       labels},
      {1, counted("/labels", FileElement::uint8, {10}, 9), "/labels", "(10)", labels},
      {1, counted("/labels", FileElement::fp32, {11}, 9), "/labels", "float32 (11)", labels},
      {1,
       counted("/labels", FileElement::uint8, {11, 6, 5}, 9),
       "/labels",
       "uint8 (11, 6, 5)",
       labels},
  };
  for (const Case& wrong : cases) {
    CAPTURE(wrong.value);
    std::vector<TestDataset> datasets = image_file();
    datasets[wrong.replaced] = wrong.by;
    const DataFile data(datasets);
    const InputProblem problem = data.problem_of(images);
    CHECK(problem.file == data.file());
    CHECK(problem.pointer == wrong.pointer);
    CHECK(problem.value == wrong.value);
    CHECK(problem.allowed == wrong.allowed);
  }
}

TEST_CASE("data check: all ranks learn of one label out of range") {
  for (const double wrong : {10.0, -1.0}) {
    for (const std::size_t place : {std::size_t{0}, std::size_t{10}}) {
      std::vector<TestDataset> datasets = image_file();
      datasets[1].element = FileElement::int64;
      datasets[1].values[place] = wrong;
      const DataFile data(datasets);
      const InputProblem problem = data.problem_of(images);
      CHECK(problem.file == data.file());
      CHECK(problem.pointer == "/labels");
      CHECK(problem.value == std::to_string(static_cast<int>(wrong)));
      CHECK(problem.allowed == "labels in [0, 10)");
    }
  }
}

TEST_CASE("data check: labels are checked to the end of a long file") {
  constexpr std::int64_t count = (1 << 20) + 5;
  const BatchShape scalars{.samples = {{4, 1, 1, 1, 1}}, .labels = {{4, 1, 1, 1, 1}}, .classes = 9};
  const auto values = static_cast<std::size_t>(count);
  for (const std::int64_t place : {count - 5, count - 1}) {
    TestDataset labels{"/labels", FileElement::uint8, {count}, std::vector<double>(values, 8.0)};
    labels.values[static_cast<std::size_t>(place)] = 9.0;
    const std::vector<TestDataset> datasets{
        {"/samples", FileElement::uint8, {count, 1, 1, 1}, std::vector<double>(values, 1.0)},
        labels};
    const DataFile data(datasets);
    CHECK(data.problem_of(scalars).value == "9");
  }
}

TEST_CASE("data check: attributes are checked") {
  const std::vector<std::pair<TestAttribute, std::string>> cases{
      {{"mean", {0.1, 0.2}}, "2 values"},
      {{"std", {1.0, 0.0, 1.0}}, "3 values, not all in range"},
      {{"mean", {}}, "values that are no numbers"},
  };
  for (const auto& [attribute, value] : cases) {
    std::vector<TestDataset> datasets = image_file();
    datasets[0].attributes = {attribute};
    const DataFile data(datasets);
    const InputProblem problem = data.problem_of(images);
    CHECK(problem.pointer == "/samples/" + attribute.name);
    CHECK(problem.value == value);
  }
}

std::string io_message(const DataFile& data, const std::string& file) {
  try {
    Hdf5Data(file, images, shuffled, data.world());
  } catch (const IoError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("data check: missing, truncated and foreign files are named") {
  const DataFile data(image_file());
  const std::string missing = data.file() + ".missing";
  CHECK(io_message(data, missing) == missing + ": no such file");

  if (data.world().rank() == 0) {
    std::filesystem::resize_file(data.file(), std::filesystem::file_size(data.file()) / 2);
  }
  data.world().barrier();
  const std::string truncated = io_message(data, data.file());
  CHECK(truncated.find(data.file() + ": cannot open: truncated file") == 0);
  data.world().barrier();

  if (data.world().rank() == 0) std::filesystem::resize_file(data.file(), 4);
  data.world().barrier();
  CHECK(io_message(data, data.file()).find(data.file() + ": cannot open: ") == 0);
}

std::string linked_file(const DataFile& data, const char* link) {
  std::string file = data.file() + ".linked.h5";
  if (data.world().rank() == 0) {
    write_datasets(file, image_file());
    link_dataset_elsewhere(file, link, data.file());
  }
  data.world().barrier();
  return file;
}

TEST_CASE("data check: samples and labels of another file are refused") {
  const DataFile data(image_file());
  for (const char* name : {"/samples", "/labels"}) {
    const std::string file = linked_file(data, name);
    try {
      Hdf5Data(file, images, shuffled, data.world());
      FAIL_CHECK("the samples of another file were opened");
    } catch (const InputError& error) {
      CHECK(error.problem().file == file);
      CHECK(error.problem().pointer == name);
      CHECK(error.problem().value ==
            std::string("the external link ") + name + " to file " + data.file());
    }
    data.world().barrier();
  }
}

TEST_CASE("data check: all ranks learn that one rank cannot use the file") {
  const DataFile data(image_file());
  const Communicator& world = data.world();
  const std::string linked = linked_file(data, "/samples");
  for (int failing = 0; failing < world.size(); ++failing) {
    CAPTURE(failing);
    try {
      Hdf5Data(world.rank() == failing ? linked : data.file(), images, shuffled, world);
      FAIL_CHECK("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.exit_code() == ExitCode::bad_input);
      CHECK(std::string(error.what()).find(linked + ": /samples: ") == 0);
    }
  }
}

}  // namespace
}  // namespace cnnplan
