// Writes the files, runs smpirun as a child process, and reads the last line of its log.
#include "planner/simulate/replay.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/writable_file.hpp"
#include "planner/simulate/platform_xml.hpp"

namespace cnnplan {
namespace {

constexpr const char* log_file = "smpirun.log";
constexpr std::string_view result_text = "Simulation time";
constexpr int cannot_start = 127;  // as shells have it

// SimGrid uses alpha and beta unchanged. It has no TCP windows, no acknowledgements that take
// bandwidth, and no penalty for long routes. Messages of any size wait only for their links and
// receivers. The log's format prints the time with more digits than the message does.
std::vector<std::string> words(int processes) {
  return {"smpirun",
          "-np",
          std::to_string(processes),
          "-platform",
          "platform.xml",
          "-hostfile",
          "hosts",
          "-replay",
          "traces",
          "--cfg=network/model:CM02",
          "--cfg=network/TCP-gamma:0",
          "--cfg=network/crosstraffic:0",
          "--cfg=network/weight-S:0",
          "--cfg=smpi/host-speed:1Gf",
          "--log=smpi_replay.fmt:%.12r:%m%n"};
}

std::string trace_name(std::size_t process) {
  return "trace-" + std::to_string(process);
}

// Runs in the child process, and never returns.
[[noreturn]] void become_smpirun(const std::string& folder, const std::vector<char*>& arguments) {
  const int log =
      chdir(folder.c_str()) == 0 ? open(log_file, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;
  if (log >= 0) {
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    execvp(arguments.front(), arguments.data());
  }
  _exit(cannot_start);
}

int run_smpirun(const std::string& folder, int processes) {
  std::vector<std::string> texts = words(processes);
  std::vector<char*> arguments;
  for (std::string& text : texts) arguments.push_back(text.data());
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child < 0) throw EnvironmentError("smpirun: cannot start another process");
  if (child == 0) become_smpirun(folder, arguments);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw EnvironmentError("smpirun: cannot wait for its end");
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Reads the time at the start of a line such as "0.001234567890:Simulation time 0.001235".
double simulated_s(const std::string& folder) {
  const std::string file = folder + '/' + log_file;
  const std::string log = read_file(file);
  const std::size_t result = log.rfind(result_text);
  if (result == std::string::npos) {
    throw EnvironmentError("smpirun: ended without a simulated time, see " + file);
  }
  const std::size_t line = log.rfind('\n', result);
  return std::strtod(log.c_str() + (line == std::string::npos ? 0 : line + 1), nullptr);
}

}  // namespace

void write_simulation(const std::string& folder, const Platform& platform, const Traces& traces) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw IoError(folder + ": cannot make this folder: " + error.message());
  require_replaceable_file(folder + '/' + log_file);
  std::string hosts;
  std::string names;
  for (std::size_t process = 0; process < traces.processes.size(); ++process) {
    hosts += host_name(static_cast<int>(process) % traces.ranks) + '\n';
    names += trace_name(process) + '\n';
    write_file(folder + '/' + trace_name(process), traces.processes[process].text());
  }
  write_file(folder + "/platform.xml", platform_xml(platform, traces.ranks, traces.routes));
  write_file(folder + "/hosts", hosts);
  write_file(folder + "/traces", names);
}

std::string replay_command(int processes) {
  std::string command;
  for (const std::string& word : words(processes)) command += (command.empty() ? "" : " ") + word;
  return command;
}

double replay(const std::string& folder, int processes) {
  const int code = run_smpirun(folder, processes);
  if (code == cannot_start) {
    throw EnvironmentError("smpirun: not found (Debian: libsimgrid-dev); the files are in " +
                           folder + ", to be replayed there by: " + replay_command(processes));
  }
  if (code != 0) {
    throw EnvironmentError("smpirun: failed, see " + folder + '/' + log_file);
  }
  return simulated_s(folder);
}

}  // namespace cnnplan
