// Reads /proc. A process belongs to the job if it runs this program and has its PMIx namespace.
#include "executor/comm/watch/job_processes.hpp"

#include <algorithm>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace cnnplan {
namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::optional<int> number_of(std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// Returns the value of a variable in an environment as /proc shows it, or an empty text.
std::string_view value_of(std::string_view environment, std::string_view name) {
  while (!environment.empty()) {
    const std::string_view entry = environment.substr(0, environment.find('\0'));
    if (entry.starts_with(name) && entry.substr(name.size()).starts_with('=')) {
      return entry.substr(name.size() + 1);
    }
    environment.remove_prefix(std::min(environment.size(), entry.size() + 1));
  }
  return {};
}

// The name of the program stands in parentheses before the state, and may hold parentheses itself.
char state_of(const std::string& stat) {
  const std::size_t end = stat.rfind(')');
  return end == std::string::npos || end + 2 >= stat.size() ? '\0' : stat[end + 2];
}

std::optional<JobProcess> job_process(const std::filesystem::path& folder,
                                      std::string_view job,
                                      const std::filesystem::path& program) {
  const auto pid = number_of(folder.filename().string());
  std::error_code error;
  if (!pid || std::filesystem::read_symlink(folder / "exe", error) != program || error) {
    return std::nullopt;
  }
  const std::string environment = content_of(folder / "environ");
  const auto rank = number_of(value_of(environment, "PMIX_RANK"));
  if (value_of(environment, "PMIX_NAMESPACE") != job || !rank) return std::nullopt;
  return JobProcess{.pid = *pid, .rank = *rank, .state = state_of(content_of(folder / "stat"))};
}

}  // namespace

std::vector<JobProcess> job_processes() {
  const char* const job = std::getenv("PMIX_NAMESPACE");
  std::vector<JobProcess> found;
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (job == nullptr || error) return found;
  std::filesystem::directory_iterator folder("/proc", error);
  for (; !error && folder != std::filesystem::directory_iterator(); folder.increment(error)) {
    if (const auto process = job_process(folder->path(), job, program)) found.push_back(*process);
  }
  std::ranges::sort(found, {}, &JobProcess::rank);
  return found;
}

void kill_lost_processes(int lost) {
  for (const JobProcess& process : job_processes()) {
    const bool is_lost = process.is_stopped() || process.rank == lost;
    if (is_lost && process.pid != getpid()) kill(process.pid, SIGKILL);
  }
}

}  // namespace cnnplan
