// Tests whole files: atomic writes, digests and names.
#include "planner/base/file.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/readable_file.hpp"
#include "tests/planner/base/file_size_limit.hpp"
#include "tests/planner/base/folder.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

namespace fs = std::filesystem;

TEST_CASE_FIXTURE(Folder, "write_file: reading gives the written bytes") {
  std::string content = "line\nzero";
  content += '\0';
  content += std::string(1 << 20, '\xff');
  write_file(file("a.json"), content);
  CHECK(read_file(file("a.json")) == content);
  write_file(file("a.json"), "");
  CHECK(read_file(file("a.json")).empty());
  CHECK(entry_count() == 1);
}

TEST_CASE_FIXTURE(
    Folder, "read_file: a file that has no end or is too large is refused before it is read") {
  CHECK(problem_of([] { read_file("/dev/zero"); }).value == "a device");
  write_file(file("sparse"), "x");
  fs::resize_file(file("sparse"), static_cast<std::uintmax_t>(max_file_bytes) + 1);
  CHECK_THROWS_WITH_AS(read_file(file("sparse")), doctest::Contains("2147483647"), InputError);
}

TEST_CASE_FIXTURE(Folder, "require_regular_file: pipes, folders and devices are named") {
  write_file(file("a"), "x");
  fs::create_symlink(file("a"), file("link"));
  CHECK_NOTHROW(require_regular_file(file("a")));
  CHECK_NOTHROW(require_regular_file(file("link")));
  CHECK_THROWS_WITH_AS(
      require_regular_file(file("none")), (file("none") + ": no such file").c_str(), IoError);
  REQUIRE(::mkfifo(file("pipe").c_str(), 0600) == 0);
  for (const auto& irregular : {std::pair{file("pipe"), "a pipe"},
                                std::pair{file(""), "a folder"},
                                std::pair{std::string("/dev/null"), "a device"}}) {
    const std::string& path = irregular.first;
    CHECK(problem_of([&] { require_regular_file(path); }).value == irregular.second);
    // Reading it would wait, or never end.
    CHECK(problem_of([&] { read_file(path); }).value == irregular.second);
  }
  CHECK(problem_of([] { require_regular_file("-"); }).value == "standard input");
}

TEST_CASE("read_file: a pipe that the process was started with is read") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  REQUIRE(::write(ends[1], "text", 4) == 4);
  ::close(ends[1]);
  const std::string name = "/dev/fd/" + std::to_string(ends[0]);
  CHECK(inherited_stream(name) == ends[0]);
  CHECK(read_file(name) == "text");
  CHECK_THROWS_WITH_AS(
      require_streams_once({"a.json", name, name}), doctest::Contains("one input only"), Error);
  CHECK_NOTHROW(require_streams_once({"a.json", name, "a.json", ""}));
  ::close(ends[0]);
}

TEST_CASE_FIXTURE(Folder,
                  "write_file: a new file gets the usual permissions, an old one keeps its own") {
  const mode_t mask = ::umask(022);
  write_file(file("new"), "x");
  ::umask(mask);
  CHECK((fs::status(file("new")).permissions() & fs::perms::all) == fs::perms(0644));
  fs::permissions(file("new"), fs::perms(0600));
  write_file(file("new"), "y");
  CHECK((fs::status(file("new")).permissions() & fs::perms::all) == fs::perms(0600));
}

TEST_CASE_FIXTURE(Folder, "write_file: a failed write leaves nothing behind") {
  CHECK_THROWS_AS(write_file(file("missing/a.json"), "x"), IoError);
  CHECK(entry_count() == 0);
  fs::create_directory(file("folder"));
  CHECK_THROWS_AS(write_file(file("folder"), "x"), IoError);
  CHECK(entry_count() == 1);
}

TEST_CASE_FIXTURE(Folder, "write_file: a write that stops half-way keeps the old file") {
  write_file(file("a.json"), "old");
  {
    const FileSizeLimit limit(4096);
    CHECK_THROWS_WITH_AS(
        write_file(file("a.json"), std::string(10000, 'x')), doctest::Contains("a.json"), IoError);
  }
  CHECK(read_file(file("a.json")) == "old");
  CHECK(entry_count() == 1);
}

TEST_CASE("write_file: a full device is an error") {
  CHECK_THROWS_WITH_AS(write_file("/dev/full", "x"), doctest::Contains("No space left"), IoError);
}

TEST_CASE_FIXTURE(Folder, "write_file: a symbolic link stays one") {
  write_file(file("target"), "old");
  fs::create_symlink(file("target"), file("link"));
  write_file(file("link"), "new");
  CHECK(fs::is_symlink(file("link")));
  CHECK(read_file(file("target")) == "new");
  CHECK(entry_count() == 2);
}

TEST_CASE("write_file: a device is written to, not replaced") {
  write_file("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));
}

TEST_CASE_FIXTURE(Folder, "file_exists: throws where it cannot tell") {
  CHECK_FALSE(file_exists(file("a")));
  write_file(file("a"), "");
  CHECK(file_exists(file("a")));
  CHECK_FALSE(file_exists(file("a/b")));
  fs::create_symlink("loop", file("loop"));
  CHECK_THROWS_WITH_AS(file_exists(file("loop")), doctest::Contains("loop"), IoError);
}

TEST_CASE_FIXTURE(Folder, "read_file: a missing file and a folder are named") {
  CHECK_THROWS_WITH_AS(read_file(file("none.json")), doctest::Contains("none.json"), IoError);
  CHECK_THROWS_WITH_AS(read_file(file("")), doctest::Contains("folder"), InputError);
}

TEST_CASE_FIXTURE(Folder, "require_other_file: no output and links in a circle are no other file") {
  const std::string circle = file("circle");
  fs::create_symlink(circle, circle);
  CHECK_NOTHROW(require_other_file("", circle));
  CHECK_NOTHROW(require_other_file(file("output"), circle));
  CHECK_NOTHROW(require_other_file("", ""));
  CHECK_THROWS_AS(require_other_file(file("output"), file("./output")), Error);
}

TEST_CASE("sha256: known digests") {
  CHECK(sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST_CASE("base_name: last part of a path") {
  struct Row {
    const char* path;
    const char* expected;
  };
  for (const Row& row : std::vector<Row>{{"a.json", "a.json"},
                                         {"/x/a.json", "a.json"},
                                         {"../a", "a"},
                                         {"x/y/", "y"},
                                         {"x//", "x"},
                                         {"/", "/"},
                                         {"", ""}}) {
    CAPTURE(std::string(row.path));
    CHECK(base_name(row.path) == row.expected);
  }
}

}  // namespace
}  // namespace cnnplan::test
