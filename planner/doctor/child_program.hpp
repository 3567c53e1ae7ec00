// Runs another program for a limited time, and keeps what it prints.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <sys/types.h>

namespace cnnplan {

// Output of both streams beyond this size ends a child, because no answer is that long.
inline constexpr std::size_t max_child_output_bytes = std::size_t{1} << 20;

// Says how a child ended: by itself, by a signal of others, or because ChildProgram killed it for
// its time or for its output.
enum class ChildEnd { exited, killed, timed_out, too_much_output };

struct ChildResult {
  ChildEnd end = ChildEnd::exited;
  int code = 0;        // the exit code, or the signal; 0 if ChildProgram killed the child
  std::string output;  // of the child's stdout
  std::string errors;  // of the child's stderr
};

// A child runs from the constructor on, in a process group of its own and without standard input.
// Several children may run at the same time.
class ChildProgram {
 public:
  // `words` begins with a path, or with a name that is looked for in PATH.
  // @throws EnvironmentError where no process can be started
  explicit ChildProgram(const std::vector<std::string>& words);
  // Kills the child and its children where they still run.
  ~ChildProgram();
  ChildProgram(const ChildProgram&) = delete;
  ChildProgram& operator=(const ChildProgram&) = delete;

  // Blocks until the child ends, at most until `limit_s` seconds after its start. Then it kills the
  // child with all processes of its group. A program that cannot be started exits with code 127.
  ChildResult wait(double limit_s);

 private:
  void start(const std::vector<std::string>& words);
  void close_files();
  bool has_ended();
  void kill_group();

  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  pid_t child_ = -1;
  int status_ = 0;
  bool ended_ = false;
  int output_ = -1;  // files in memory
  int errors_ = -1;
};

}  // namespace cnnplan
