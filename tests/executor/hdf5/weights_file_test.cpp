// Tests tensor files: values come back, errors name their place, and no half-written file is left.
#include "executor/hdf5/weights_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <numeric>
#include <stdexcept>

#include <doctest/doctest.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"

namespace cnnplan {
namespace {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "cnnplan-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
    folder_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::ptrdiff_t file_count() const {
    return std::distance(std::filesystem::directory_iterator(folder_), {});
  }

 private:
  std::filesystem::path folder_;
};

using Extents = std::vector<std::int64_t>;

std::vector<double> thirds(std::size_t count) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i) / 3.0;
  return values;
}

void write_example(const std::string& file) {
  TensorFileWriter writer(file);
  writer.write("/conv1/weight", Extents{4, 3, 2, 2}, thirds(48), Precision::fp64);
  writer.write("/layer1/0/bn/mean", Extents{4}, thirds(4), Precision::fp32);
  writer.write("/loss", Extents{1}, thirds(1), Precision::fp64);
  writer.finish();
}

InputProblem problem_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.problem();
  }
  return {};
}

TEST_CASE("weights file: double is exact, float is rounded once") {
  const TemporaryFolder folder;
  write_example(folder.path("w.h5"));
  const TensorFileReader reader(folder.path("w.h5"));
  CHECK(reader.read("/conv1/weight", Extents{4, 3, 2, 2}) == thirds(48));
  std::vector<double> rounded;
  for (double value : thirds(4)) rounded.push_back(static_cast<float>(value));
  CHECK(reader.read("/layer1/0/bn/mean", Extents{4}) == rounded);
  CHECK(reader.has("/loss"));
  CHECK_FALSE(reader.has("/conv2/weight"));
}

TEST_CASE("weights file: missing dataset and wrong shape are named") {
  const TemporaryFolder folder;
  const std::string file = folder.path("w.h5");
  write_example(file);
  const TensorFileReader reader(file);
  const InputProblem missing = problem_of([&] { reader.read("/fc/bias", Extents{10}); });
  CHECK(missing.file == file);
  CHECK(missing.pointer == "/fc/bias");
  CHECK(missing.value == "no such dataset");
  CHECK(missing.allowed == "float32 or float64 (10)");
  const InputProblem wrong = problem_of([&] { reader.read("/conv1/weight", Extents{4, 3, 3, 3}); });
  CHECK(wrong.file == file);
  CHECK(wrong.pointer == "/conv1/weight");
  CHECK(wrong.value == "float64 (4, 3, 2, 2)");
  CHECK(wrong.allowed == "float32 or float64 (4, 3, 3, 3)");
}

TEST_CASE("weights file: a missing or foreign file is an IoError that names it") {
  const TemporaryFolder folder;
  const std::string file = folder.path("w.h5");
  CHECK_THROWS_WITH_AS(TensorFileReader{file}, (file + ": no such file").c_str(), IoError);
  write_file(file, "{}");
  CHECK_THROWS_AS(TensorFileReader{file}, IoError);
  CHECK_THROWS_AS(TensorFileWriter{folder.path("missing/w.h5")}, IoError);
}

TEST_CASE("weights file: an unfinished file leaves nothing behind and keeps the old one") {
  const TemporaryFolder folder;
  const std::string file = folder.path("w.h5");
  write_example(file);
  {
    TensorFileWriter writer(file);
    writer.write("/fc/bias", Extents{2}, thirds(2), Precision::fp32);
  }
  CHECK(folder.file_count() == 1);
  CHECK(TensorFileReader(file).has("/conv1/weight"));
  CHECK_FALSE(TensorFileReader(file).has("/fc/bias"));
}

TEST_CASE("weights file: finishing replaces the file and leaves no other file") {
  const TemporaryFolder folder;
  write_example(folder.path("w.h5"));
  {
    TensorFileWriter writer(folder.path("w.h5"));
    writer.write("/fc/bias", Extents{2}, thirds(2), Precision::fp32);
    writer.finish();
  }
  CHECK(folder.file_count() == 1);
  CHECK(TensorFileReader(folder.path("w.h5")).has("/fc/bias"));
}

TEST_CASE("weights file: values must fill their extents") {
  const TemporaryFolder folder;
  TensorFileWriter writer(folder.path("w.h5"));
  CHECK_THROWS_AS(writer.write("/a/bias", Extents{3}, thirds(2), Precision::fp32),
                  std::logic_error);
}

TEST_CASE("stored_extents: depth is left out where it is 1") {
  CHECK(stored_extents({{8, 3, 1, 5, 7}}) == Extents{8, 3, 5, 7});
  CHECK(stored_extents({{8, 3, 2, 5, 7}}) == Extents{8, 3, 2, 5, 7});
  CHECK(tensor_name("conv1", "weight_gradient") == "/conv1/weight_gradient");
}

}  // namespace
}  // namespace cnnplan
