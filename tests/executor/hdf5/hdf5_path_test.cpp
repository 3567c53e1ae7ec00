// Tests that datasets are found through links inside a file, and that nothing outside it is opened.
#include "executor/hdf5/hdf5_path.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <hdf5.h>
#include <sys/stat.h>

#include "executor/hdf5/weights_file.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "tests/executor/hdf5/hdf5_fixture.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

// Closes an identifier that a test opened with plain calls.
struct TestFile {
  explicit TestFile(const std::string& file)
      : id(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {
    REQUIRE(id >= 0);
  }
  TestFile(const TestFile&) = delete;
  TestFile& operator=(const TestFile&) = delete;
  ~TestFile() { H5Fclose(id); }
  void soft(const char* target, const char* link) const {
    REQUIRE(H5Lcreate_soft(target, id, link, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  void external(const std::string& file, const char* target, const char* link) const {
    REQUIRE(H5Lcreate_external(file.c_str(), target, id, link, H5P_DEFAULT, H5P_DEFAULT) >= 0);
  }
  void group(const char* name) const {
    const hid_t group = H5Gcreate2(id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    REQUIRE(group >= 0);
    H5Gclose(group);
  }
  // Makes a dataset of three 32-bit numbers with this creation property list.
  void dataset(const char* name, hid_t properties) const {
    const hsize_t count = 3;
    const hid_t space = H5Screate_simple(1, &count, nullptr);
    const hid_t made =
        H5Dcreate2(id, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
    REQUIRE(made >= 0);
    H5Dclose(made);
    H5Sclose(space);
  }

  hid_t id;
};

// Makes a file "a.h5" with the datasets /weight and /group/inner, and a file "b.h5" of the same
// content.
class TwoFiles {
 public:
  TwoFiles() : world_(Communicator::world()), folder_(world_) {
    for (const std::string& file : {a(), b()}) {
      write_datasets(file,
                     std::vector<TestDataset>{{"/weight", FileElement::fp32, {3}, {1, 2, 3}}});
      const TestFile open(file);
      open.group("/group");
      REQUIRE(H5Lcreate_hard(
                  open.id, "/weight", open.id, "/group/inner", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    }
  }
  std::string a() const { return path("a.h5"); }
  std::string b() const { return path("b.h5"); }
  std::string path(const std::string& name) const { return folder_.path(name); }

  std::vector<double> values(const std::string& name) const {
    return TensorFileReader(a()).read(name, std::vector<std::int64_t>{3});
  }
  InputProblem problem(const std::string& name) const {
    return problem_of([&] { TensorFileReader(a()).has(name); });
  }

 private:
  Communicator world_;
  SharedFolder folder_;
};

void check_refused(const TwoFiles& files, const std::string& name, const std::string& value) {
  CAPTURE(name);
  const InputProblem problem = files.problem(name);
  CHECK(problem.file == files.a());
  CHECK(problem.pointer == name);
  CHECK(problem.value == value);
  CHECK(problem.allowed == "a dataset that lies in this file itself");
}

TEST_CASE_FIXTURE(TwoFiles, "HDF5 paths: links inside the file lead to the dataset") {
  {
    const TestFile file(a());
    file.soft("/group", "/soft_group");
    file.soft("inner", "/group/beside");
    file.soft("/soft_group/./beside", "/twice");
  }
  const std::vector<double> expected{1, 2, 3};
  for (const char* name : {"/weight",
                           "/group/inner",
                           "/soft_group/inner",
                           "/group/beside",
                           "/soft_group/beside",
                           "/twice",
                           "//group/./inner"}) {
    CAPTURE(name);
    CHECK(values(name) == expected);
  }
}

TEST_CASE_FIXTURE(TwoFiles, "HDF5 paths: what does not exist is no dataset") {
  {
    const TestFile file(a());
    file.soft("/nowhere", "/dangling");
  }
  const TensorFileReader reader(a());
  for (const char* name : {"/nothing", "/group/nothing", "/weight/nothing", "/dangling"}) {
    CAPTURE(name);
    CHECK_FALSE(reader.has(name));
  }
}

TEST_CASE_FIXTURE(TwoFiles, "HDF5 paths: soft links in a circle, and groups, are refused") {
  {
    const TestFile file(a());
    file.soft("/second", "/first");
    file.soft("/first", "/second");
  }
  check_refused(*this, "/first", "soft links that lead in a circle");
  check_refused(*this, "/group", "no dataset, but a group or a type");
}

TEST_CASE_FIXTURE(TwoFiles, "HDF5 paths: external links are refused wherever they are") {
  {
    const TestFile file(a());
    file.external(b(), "/weight", "/away");
    file.external(b(), "/group", "/away_group");
    file.external("missing.h5", "/weight", "/group/missing");
    file.soft("/away", "/soft_away");
    file.soft("/away_group", "/group/soft_away");
  }
  check_refused(*this, "/away", "the external link /away to file " + b());
  check_refused(*this, "/away_group/weight", "the external link /away_group to file " + b());
  check_refused(*this, "/group/missing", "the external link /group/missing to file missing.h5");
  check_refused(*this, "/soft_away", "the external link /away to file " + b());
  check_refused(*this, "/group/soft_away/weight", "the external link /away_group to file " + b());
}

TEST_CASE_FIXTURE(TwoFiles, "HDF5 paths: elements in other files or datasets are refused") {
  write_file(path("elements"), "secret text ");
  const hid_t stored = H5Pcreate(H5P_DATASET_CREATE);
  REQUIRE(H5Pset_external(stored, path("elements").c_str(), 0, 12) >= 0);
  const hid_t composed = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t count = 3;
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  REQUIRE(H5Pset_virtual(composed, space, b().c_str(), "/weight", space) >= 0);
  {
    const TestFile file(a());
    file.dataset("/stored", stored);
    file.dataset("/composed", composed);
    file.soft("/composed", "/soft");
  }
  H5Pclose(stored);
  H5Pclose(composed);
  H5Sclose(space);
  const std::string composed_text = "a virtual dataset, whose elements come from other datasets";
  check_refused(*this, "/stored", "a dataset whose elements are in other files (external storage)");
  check_refused(*this, "/composed", composed_text);
  check_refused(*this, "/soft", composed_text);
}

// A program that opened one of these pipes would wait for a writer for ever.
TEST_CASE_FIXTURE(TwoFiles, "HDF5 paths: refused files are never opened") {
  const std::string pipe = path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  const hid_t composed = H5Pcreate(H5P_DATASET_CREATE);
  const hsize_t count = 3;
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  REQUIRE(H5Pset_virtual(composed, space, pipe.c_str(), "/weight", space) >= 0);
  {
    const TestFile file(a());
    file.dataset("/composed", composed);
    file.external(pipe, "/weight", "/away");
  }
  H5Pclose(composed);
  H5Sclose(space);
  check_refused(*this, "/away", "the external link /away to file " + pipe);
  CHECK(contains(problem("/composed").value, "virtual dataset"));
  const InputProblem direct = problem_of([&] { TensorFileReader{pipe}; });
  CHECK(direct.file == pipe);
  CHECK(direct.value == "a pipe");
  CHECK(direct.allowed == "a regular file");
}

TEST_CASE_FIXTURE(TwoFiles, "HDF5 files: folders are refused, links to regular files are not") {
  const std::string folder = path("folder");
  std::filesystem::create_directory(folder);
  CHECK(problem_of([&] { TensorFileReader{folder}; }).value == "a folder");
  CHECK(problem_of([&] { TensorFileReader{"/dev/null"}; }).value == "a device");
  std::filesystem::create_symlink(a(), path("link.h5"));
  CHECK(TensorFileReader(path("link.h5")).has("/weight"));
}

}  // namespace
}  // namespace cnnplan::test
