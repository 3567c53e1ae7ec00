// Tests files that are written piece by piece: a reader finds the whole file or the one before.
#include "planner/base/durable_file.hpp"

#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "tests/planner/base/file_size_limit.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

namespace fs = std::filesystem;

// Makes an empty folder that goes away with the test.
class TestFolder {
 public:
  TestFolder() {
    std::string pattern = (fs::temp_directory_path() / "cnnplan-durable-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;
  ~TestFolder() { fs::remove_all(path_); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  fs::path path_;
};

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

TEST_CASE_FIXTURE(TestFolder, "DurableFile: pieces come back as one, with their digest") {
  DurableFile writer(file("part"));
  writer.append(bytes_of("one "));
  writer.append(bytes_of(""));
  CHECK(writer.bytes() == 4);
  writer.append(bytes_of("two"));
  CHECK(!fs::exists(file("part")));
  const FileDigest digest = writer.commit();
  CHECK(read_file(file("part")) == "one two");
  CHECK(digest == FileDigest{.bytes = 7, .sha256 = sha256("one two")});
  CHECK(digest_of(file("part")) == digest);
  CHECK(!fs::exists(file("part") + partial_suffix));
}

TEST_CASE_FIXTURE(TestFolder, "DurableFile: the old file stays until the new one is whole") {
  write_file(file("part"), "before");
  {
    DurableFile writer(file("part"));
    writer.append(bytes_of("half"));
    CHECK(read_file(file("part")) == "before");
    CHECK(fs::exists(file("part") + partial_suffix));
  }
  CHECK(read_file(file("part")) == "before");
  CHECK(!fs::exists(file("part") + partial_suffix));
}

TEST_CASE_FIXTURE(TestFolder, "DurableFile: overwrites what a killed writer left") {
  write_file(file("part") + partial_suffix, "much longer than what comes");
  DurableFile writer(file("part"));
  writer.append(bytes_of("short"));
  writer.commit();
  CHECK(read_file(file("part")) == "short");
}

TEST_CASE_FIXTURE(TestFolder, "DurableFile: a missing folder and a full disk are errors") {
  CHECK_THROWS_AS(DurableFile(file("nowhere/part")), IoError);
  const FileSizeLimit limit(4096);
  DurableFile writer(file("full"));
  CHECK_THROWS_WITH_AS(
      writer.append(bytes_of(std::string(10000, 'x'))), doctest::Contains("full"), IoError);
}

TEST_CASE_FIXTURE(TestFolder,
                  "read_bytes: reads from the middle, and refuses to read beyond the end") {
  write_file(file("part"), "0123456789");
  const std::vector<std::byte> middle = read_bytes(file("part"), 3, 4);
  CHECK(std::string(reinterpret_cast<const char*>(middle.data()), middle.size()) == "3456");
  CHECK(read_bytes(file("part"), 10, 0).empty());
  CHECK_THROWS_AS(read_bytes(file("part"), 7, 4), IoError);
  CHECK_THROWS_AS(read_bytes(file("none"), 0, 1), IoError);
}

TEST_CASE_FIXTURE(TestFolder, "digest_of: more than one block") {
  const std::string content(std::size_t{5} << 19, 'x');
  write_file(file("part"), content);
  CHECK(digest_of(file("part")).sha256 == sha256(content));
  CHECK_THROWS_AS(digest_of(file("none")), IoError);
}

// Opening a pipe to read would wait for a writer for ever.
TEST_CASE_FIXTURE(TestFolder, "digest_of and read_bytes: a pipe is refused before it is opened") {
  REQUIRE(::mkfifo(file("pipe").c_str(), 0600) == 0);
  CHECK(problem_of([&] { digest_of(file("pipe")); }).value == "a pipe");
  CHECK(problem_of([&] { read_bytes(file("pipe"), 0, 1); }).value == "a pipe");
}

}  // namespace
}  // namespace cnnplan::test
