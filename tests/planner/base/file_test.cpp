// Tests whole files: atomic writes, digests, names, and whether a file can be written.
#include "planner/base/file.hpp"

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/readable_file.hpp"
#include "tests/planner/base/problem_of.hpp"

namespace cnnplan::test {
namespace {

namespace fs = std::filesystem;

// Makes an empty folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "cnnplan-file-XXXXXX").string();
    path_ = ::mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::ptrdiff_t entry_count() const {
    return std::distance(fs::directory_iterator(path_), fs::directory_iterator());
  }

 private:
  fs::path path_;
};

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

// Keeps files from growing beyond `bytes` while it lives.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_);
    const rlimit limit{bytes, old_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_);
    std::signal(SIGXFSZ, handler_);
  }

 private:
  rlimit old_{};
  void (*handler_)(int);
};

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

// Calls check_writable as a user whom permissions bind, since they do not bind root.
bool is_writable(const std::string& file) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0) ::_exit(2);
    try {
      check_writable(file);
    } catch (const IoError&) {
      ::_exit(1);
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) <= 1);
  return WEXITSTATUS(status) == 0;
}

// Makes the folders "open" and "closed". Each has a file "old" and a link to the other's file.
class Folders : public Folder {
 public:
  Folders() {
    fs::permissions(file(""), fs::perms(0755));
    for (const char* folder : {"open", "closed"}) {
      fs::create_directory(file(folder));
      write_file(file(folder) + "/old", "x");
    }
    fs::create_symlink(file("closed/old"), file("open/link"));
    fs::create_symlink(file("open/old"), file("closed/link"));
    fs::create_symlink("nowhere/at/all", file("open/dangling"));
    fs::permissions(file("open"), fs::perms(0777));
    fs::permissions(file("closed"), fs::perms(0555));
  }
  Folders(const Folders&) = delete;
  Folders& operator=(const Folders&) = delete;
  ~Folders() { fs::permissions(file("closed"), fs::perms(0755)); }
};

TEST_CASE_FIXTURE(Folders, "check_writable: the file itself is replaced, and links are followed") {
  struct Row {
    const char* name;
    bool expected;
  };
  for (const Row& row : std::vector<Row>{{"open/new", true},
                                         {"open/old", true},
                                         {"open/link", false},
                                         {"open/dangling", true},
                                         {"open", false},
                                         {"closed/new", false},
                                         {"closed/old", false},
                                         {"closed/link", true},
                                         {"missing/new", false},
                                         {"open/old/new", false}}) {
    CAPTURE(std::string(row.name));
    CHECK(is_writable(file(row.name)) == row.expected);
  }
  CHECK(fs::is_symlink(file("open/dangling")));
  CHECK(is_writable("/dev/null"));
}

TEST_CASE_FIXTURE(Folder, "check_writable: says what is wrong and leaves nothing behind") {
  CHECK_THROWS_WITH_AS(
      check_writable(file("missing/a.json")), doctest::Contains("missing/a.json"), IoError);
  CHECK_THROWS_WITH_AS(check_writable(file("")), doctest::Contains("directory"), IoError);
  CHECK_NOTHROW(check_writable(file("a.json")));
  CHECK(entry_count() == 0);
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
