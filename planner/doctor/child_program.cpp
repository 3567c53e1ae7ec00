// Starts a child whose output goes to files in memory, so that no full pipe can block it.
#include "planner/doctor/child_program.hpp"

#include <algorithm>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

constexpr int cannot_start = 127;  // as shells have it
constexpr std::chrono::milliseconds between_looks{10};
// A killed process that waits for a device does not end. Nobody waits for it for longer than this.
constexpr std::chrono::seconds after_kill{2};

int file_in_memory() {
  const int file = memfd_create("output", MFD_CLOEXEC);
  if (file < 0) throw EnvironmentError("memfd_create: no file for the output of a child");
  return file;
}

std::size_t size_of(int file) {
  struct stat facts {};
  return fstat(file, &facts) == 0 ? static_cast<std::size_t>(facts.st_size) : 0;
}

std::string content_of(int file) {
  std::string text(std::min(size_of(file), max_child_output_bytes), '\0');
  const ssize_t bytes = pread(file, text.data(), text.size(), 0);
  text.resize(bytes < 0 ? 0 : bytes);
  return text;
}

// Runs in the child process, and never returns. The child ends with this program.
[[noreturn]] void become(const std::vector<char*>& arguments, int output, int errors) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int input = open("/dev/null", O_RDONLY);
  if (input >= 0) dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(errors, STDERR_FILENO);
  execvp(arguments.front(), arguments.data());
  _exit(cannot_start);
}

}  // namespace

// A constructor that throws has no destructor call, so the files are closed here.
ChildProgram::ChildProgram(const std::vector<std::string>& words) {
  try {
    output_ = file_in_memory();
    errors_ = file_in_memory();
    start(words);
  } catch (...) {
    close_files();
    throw;
  }
}

void ChildProgram::start(const std::vector<std::string>& words) {
  std::vector<std::string> texts = words;
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  child_ = fork();
  if (child_ < 0) throw EnvironmentError(words.front() + ": cannot start another process");
  if (child_ == 0) become(arguments, output_, errors_);
  setpgid(child_, child_);  // the child does it, too; whoever comes first
}

ChildProgram::~ChildProgram() {
  if (!ended_) kill_group();
  close_files();
}

void ChildProgram::close_files() {
  if (output_ >= 0) close(output_);
  if (errors_ >= 0) close(errors_);
}

bool ChildProgram::has_ended() {
  if (!ended_) ended_ = waitpid(child_, &status_, WNOHANG) == child_;
  return ended_;
}

void ChildProgram::kill_group() {
  kill(-child_, SIGKILL);
  const auto end = std::chrono::steady_clock::now() + after_kill;
  while (!has_ended() && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(between_looks);
  }
}

ChildResult ChildProgram::wait(double limit_s) {
  const auto limit = std::chrono::duration<double>(limit_s);
  ChildResult result;
  while (!has_ended()) {
    const bool is_late = std::chrono::steady_clock::now() - start_ > limit;
    if (is_late || size_of(output_) + size_of(errors_) > max_child_output_bytes) {
      result.end = is_late ? ChildEnd::timed_out : ChildEnd::too_much_output;
      kill_group();
      break;
    }
    std::this_thread::sleep_for(between_looks);
  }
  if (result.end == ChildEnd::exited) {
    if (WIFSIGNALED(status_)) result.end = ChildEnd::killed;
    result.code = WIFSIGNALED(status_) ? WTERMSIG(status_) : WEXITSTATUS(status_);
  }
  result.output = content_of(output_);
  result.errors = content_of(errors_);
  return result;
}

}  // namespace cnnplan
