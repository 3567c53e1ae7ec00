// Takes the few numbers out of the files in /proc and /sys.
#include "planner/doctor/machine_findings.hpp"

#include <cstdint>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>

#include <sched.h>

#include "planner/base/bytes_text.hpp"

namespace cnnplan {
namespace {

constexpr const char* part = "machine";
// Other programs that take more than this many cores disturb measurements.
constexpr double most_load = 0.5;

Finding present(std::string name, std::string text) {
  return {.part = part, .name = std::move(name), .text = std::move(text)};
}

Finding unknown(std::string name, const std::string& file) {
  return {.part = part,
          .name = std::move(name),
          .state = FindingState::absent,
          .text = "not known: this system has no " + file};
}

// Files of the kernel have no size, so they are read to their end.
std::optional<std::string> content(const std::string& root, const std::string& file) {
  std::ifstream stream(root + file);
  if (!stream) return std::nullopt;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// Returns the value of a line such as "model name : AMD EPYC", without the blanks around it.
std::optional<std::string> value_in(const std::string& line, const std::string& key) {
  if (!line.starts_with(key)) return std::nullopt;
  const std::size_t colon = line.find(':');
  if (colon == std::string::npos) return std::nullopt;
  const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
  return begin == std::string::npos ? "" : line.substr(begin);
}

struct Processor {
  std::string model = "unknown processor";
  std::set<std::pair<std::string, std::string>> cores;  // socket and number in the socket
  int threads = 0;                                      // of all cores
};

Processor processor_of(const std::string& cpuinfo) {
  Processor found;
  std::string socket;
  std::istringstream lines(cpuinfo);
  for (std::string line; std::getline(lines, line);) {
    if (const auto model = value_in(line, "model name")) found.model = *model;
    if (const auto value = value_in(line, "physical id")) socket = *value;
    if (const auto core = value_in(line, "core id")) found.cores.emplace(socket, *core);
    if (line.starts_with("processor")) ++found.threads;
  }
  return found;
}

// Returns how many hardware threads this process may use.
int allowed_threads() {
  cpu_set_t allowed;
  return sched_getaffinity(0, sizeof(allowed), &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
}

std::vector<Finding> processor_findings(const std::string& root) {
  const auto text = content(root, "proc/cpuinfo");
  if (!text) return {unknown("processor", "/proc/cpuinfo")};
  const Processor processor = processor_of(*text);
  const std::size_t cores = processor.cores.empty() ? processor.threads : processor.cores.size();
  return {present("processor", processor.model),
          present("cores",
                  std::to_string(cores) + " cores with " + std::to_string(processor.threads) +
                      " threads; this process may use " + std::to_string(allowed_threads())),
          present("slots",
                  std::to_string(cores) + " ranks by default, one per core, as mpirun counts")};
}

// Returns the bytes in a line of /proc/meminfo such as "MemTotal: 16384 kB".
std::int64_t memory_bytes(const std::string& meminfo, const std::string& key) {
  std::istringstream lines(meminfo);
  for (std::string line; std::getline(lines, line);) {
    if (const auto value = value_in(line, key)) {
      std::int64_t kibibytes = 0;
      std::istringstream(*value) >> kibibytes;
      return kibibytes << 10;
    }
  }
  return 0;
}

Finding memory_finding(const std::string& root) {
  const auto text = content(root, "proc/meminfo");
  if (!text) return unknown("memory", "/proc/meminfo");
  return present("memory",
                 bytes_text(memory_bytes(*text, "MemTotal")) + ", " +
                     bytes_text(memory_bytes(*text, "MemAvailable")) + " of it free");
}

Finding governor_finding(const std::string& root) {
  const std::string file = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
  const auto text = content(root, file);
  if (!text) {
    return {.part = part,
            .name = "clock governor",
            .state = FindingState::absent,
            .text = "none: virtual machines and some processors show none"};
  }
  const std::string governor = text->substr(0, text->find('\n'));
  if (governor == "performance") return present("clock governor", governor);
  return {.part = part,
          .name = "clock governor",
          .state = FindingState::advice,
          .text = governor + " changes the clock, so times vary",
          .remedy = "sudo cpupower frequency-set -g performance"};
}

// The file has all choices, with the one that holds in brackets. The programs ask for huge pages,
// so "madvise" is as good as "always".
Finding huge_pages_finding(const std::string& root) {
  const auto text = content(root, "sys/kernel/mm/transparent_hugepage/enabled");
  if (!text) return unknown("huge pages", "transparent huge pages");
  const std::size_t begin = text->find('[');
  const std::size_t end = text->find(']');
  const bool is_marked = begin != std::string::npos && end != std::string::npos && begin < end;
  const std::string chosen = is_marked ? text->substr(begin + 1, end - begin - 1) : "unknown";
  if (chosen != "never") return present("huge pages", chosen);
  return {.part = part,
          .name = "huge pages",
          .state = FindingState::advice,
          .text = "never: large tensors take more time to reach",
          .remedy = "echo madvise | sudo tee /sys/kernel/mm/transparent_hugepage/enabled"};
}

Finding load_finding(const std::string& root) {
  const auto text = content(root, "proc/loadavg");
  if (!text) return unknown("other load", "/proc/loadavg");
  double load = 0.0;
  std::istringstream(*text) >> load;
  const std::string words = text->substr(0, text->find(' ')) + " cores in the last minute";
  if (load <= most_load) return present("other load", words);
  return {.part = part,
          .name = "other load",
          .state = FindingState::advice,
          .text = words + ": do not measure before it ends",
          .remedy = "top"};
}

}  // namespace

std::vector<Finding> machine_findings(const std::string& root) {
  std::vector<Finding> findings = processor_findings(root);
  findings.push_back(memory_finding(root));
  findings.push_back(governor_finding(root));
  findings.push_back(huge_pages_finding(root));
  findings.push_back(load_finding(root));
  return findings;
}

}  // namespace cnnplan
