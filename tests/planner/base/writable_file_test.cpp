// Tests which outputs are written, and that no kind of output is waited for.
#include "planner/base/writable_file.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/output_file.hpp"
#include "tests/planner/base/folder.hpp"

namespace cnnplan::test {
namespace {

namespace fs = std::filesystem;

// Calls require_replaceable_file as a user whom permissions bind, since they do not bind root.
bool is_replaceable(const std::string& file) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && ::setuid(nobody) != 0) ::_exit(2);
    try {
      require_replaceable_file(file);
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

TEST_CASE_FIXTURE(Folders,
                  "require_replaceable_file: the file itself is replaced, and links are followed") {
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
    CHECK(is_replaceable(file(row.name)) == row.expected);
  }
  CHECK(fs::is_symlink(file("open/dangling")));
}

TEST_CASE_FIXTURE(Folder,
                  "require_replaceable_file: says what is wrong and leaves nothing behind") {
  CHECK_THROWS_WITH_AS(require_replaceable_file(file("missing/a.json")),
                       doctest::Contains("missing/a.json"),
                       IoError);
  CHECK_THROWS_WITH_AS(require_replaceable_file(file("")), doctest::Contains("a folder"), IoError);
  CHECK_NOTHROW(require_replaceable_file(file("a.json")));
  CHECK(entry_count() == 0);
}

// Makes an output of each kind that is refused.
class Refused : public Folder {
 public:
  Refused() {
    REQUIRE(::mkfifo(file("pipe").c_str(), 0600) == 0);
    fs::create_directory(file("folder"));
    fs::create_symlink("pipe", file("link"));
    sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
    file("socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
    const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
    REQUIRE(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0);
    ::close(socket);
  }
};

TEST_CASE_FIXTURE(Refused, "OutputFile: outputs that nobody can read are refused at once") {
  using std::chrono::steady_clock;
  struct Row {
    const char* name;
    const char* problem;
  };
  for (const Row& row : std::vector<Row>{{"pipe", "a pipe that nobody reads"},
                                         {"link", "a pipe that nobody reads"},
                                         {"folder", "a folder"},
                                         {"socket", "a socket"},
                                         {"missing/new", "No such file"}}) {
    CAPTURE(std::string(row.name));
    const auto start = steady_clock::now();
    CHECK_THROWS_WITH_AS(OutputFile(file(row.name)), doctest::Contains(row.problem), IoError);
    CHECK_THROWS_WITH_AS(write_file(file(row.name), "x"), doctest::Contains(row.problem), IoError);
    CHECK_THROWS_AS(require_replaceable_file(file(row.name)), IoError);
    CHECK_THROWS_AS(DurableFile(file(row.name)), IoError);
    CHECK(steady_clock::now() - start < std::chrono::seconds(30));  // It does not hang.
  }
  CHECK(fs::is_fifo(file("pipe")));
  CHECK(fs::is_socket(file("socket")));
  CHECK(entry_count() == 4);
}

TEST_CASE("open_output_stream: a stream that was opened for reading is refused") {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  CHECK_THROWS_AS(open_output_stream("/dev/fd/" + std::to_string(ends[0])), IoError);
  const std::string name = "/dev/fd/" + std::to_string(ends[1]);
  write_file(name, "text");
  char text[4];
  REQUIRE(::read(ends[0], text, sizeof(text)) == 4);
  CHECK(std::string(text, 4) == "text");
  ::close(ends[0]);
  CHECK_THROWS_WITH_AS(open_output_stream(name), doctest::Contains("nobody reads"), IoError);
  ::close(ends[1]);
  CHECK_THROWS_AS(open_output_stream(name), IoError);
}

TEST_CASE_FIXTURE(Folder, "OutputFile: a file behind a descriptor is written there, not replaced") {
  write_file(file("file"), "");
  const int descriptor = ::open(file("file").c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const std::string name = "/dev/fd/" + std::to_string(descriptor);
  write_file(name, "one ");
  write_file(name, "two");
  ::close(descriptor);
  CHECK(read_file(file("file")) == "one two");
}

TEST_CASE_FIXTURE(Refused, "OutputFile: a reader of the pipe gets all, also if it starts later") {
  const std::string content(std::size_t{1} << 20, 'x');
  std::string got;
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const int descriptor = ::open(file("pipe").c_str(), O_RDONLY | O_CLOEXEC);
    std::string block(4096, ' ');
    ssize_t count = 0;
    while ((count = ::read(descriptor, block.data(), block.size())) > 0)
      got.append(block, 0, count);
    ::close(descriptor);
  });
  {
    OutputFile output(file("pipe"));
    output.write(content);
  }
  reader.join();
  CHECK(got == content);
}

TEST_CASE_FIXTURE(Refused, "OutputFile: a reader of the pipe that leaves is an error") {
  const int reader = ::open(file("pipe").c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  OutputFile output(file("pipe"));
  ::close(reader);
  CHECK_THROWS_WITH_AS(output.write("x"), doctest::Contains("Broken pipe"), IoError);
}

TEST_CASE_FIXTURE(Refused, "DurableFile: only a regular file lies under its own name") {
  const std::string own = file("new") + partial_suffix;
  fs::create_symlink("target", own);
  CHECK_THROWS_AS(DurableFile(file("new")), IoError);
  CHECK(!fs::exists(file("target")));
  fs::remove(own);
  fs::rename(file("pipe"), own);
  CHECK_THROWS_AS(DurableFile(file("new")), IoError);
  const int reader = ::open(own.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  CHECK_THROWS_WITH_AS(DurableFile(file("new")), doctest::Contains("a pipe"), IoError);
  ::close(reader);
}

}  // namespace
}  // namespace cnnplan::test
