// Tests what is read from files of the kernel, in a folder that stands for a machine.
#include "planner/doctor/machine_findings.hpp"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "planner/base/file.hpp"

using namespace cnnplan;

namespace {

// Holds the files of a machine while a test runs.
class Machine {
 public:
  Machine() { std::filesystem::create_directories(root_); }
  ~Machine() { std::filesystem::remove_all(root_); }
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    write_file((root_ / file).string(), text);
  }
  Finding finding(const std::string& name) const {
    for (Finding& found : machine_findings(root_.string() + '/')) {
      if (found.name == name) return found;
    }
    FAIL("no finding " << name);
    return {};
  }

 private:
  std::filesystem::path root_ = std::filesystem::temp_directory_path() /
                                ("machine_findings_test_" + std::to_string(getpid()));
};

std::string processor(int number, int socket, int core) {
  return "processor\t: " + std::to_string(number) +
         "\nmodel name\t: A CPU @ 2 GHz\nphysical id\t: " + std::to_string(socket) +
         "\ncore id\t\t: " + std::to_string(core) + "\n\n";
}

}  // namespace

TEST_CASE("Machine findings: threads of one core count once, and cores of all sockets count") {
  const Machine machine;
  machine.write("proc/cpuinfo",
                processor(0, 0, 0) + processor(1, 0, 1) + processor(2, 1, 0) + processor(3, 0, 0));
  CHECK(machine.finding("processor").text == "A CPU @ 2 GHz");
  CHECK(machine.finding("cores").text.starts_with("3 cores with 4 threads; "));
  CHECK(machine.finding("slots").text.starts_with("3 ranks "));
}

TEST_CASE("Machine findings: without numbers of cores, each thread is one") {
  const Machine machine;
  machine.write("proc/cpuinfo", "processor\t: 0\nprocessor\t: 1\n");
  CHECK(machine.finding("processor").text == "unknown processor");
  CHECK(machine.finding("cores").text.starts_with("2 cores with 2 threads; "));
}

TEST_CASE("Machine findings: memory in all and free") {
  const Machine machine;
  machine.write("proc/meminfo",
                "MemTotal:       4194304 kB\nMemFree: 1 kB\nMemAvailable: 2097152 kB\n");
  CHECK(machine.finding("memory").text == "4.00 GiB, 2.00 GiB of it free");
}

TEST_CASE("Machine findings: clocks, huge pages and load that disturb times are advice") {
  const Machine machine;
  const std::string governor = "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor";
  const std::string pages = "sys/kernel/mm/transparent_hugepage/enabled";
  struct Row {
    std::string name, file, text;
    FindingState state;
  };
  for (const Row& row :
       {Row{"clock governor", governor, "performance\n", FindingState::present},
        Row{"clock governor", governor, "powersave\n", FindingState::advice},
        Row{"huge pages", pages, "always [madvise] never\n", FindingState::present},
        Row{"huge pages", pages, "[always] madvise never\n", FindingState::present},
        Row{"huge pages", pages, "always madvise [never]\n", FindingState::advice},
        Row{"other load", "proc/loadavg", "0.31 9.0 9.0 1/99 7\n", FindingState::present},
        Row{"other load", "proc/loadavg", "2.50 0.0 0.0 1/99 7\n", FindingState::advice}}) {
    CAPTURE(row.text);
    machine.write(row.file, row.text);
    const Finding finding = machine.finding(row.name);
    CHECK(finding.state == row.state);
    CHECK(finding.remedy.empty() == (row.state == FindingState::present));
  }
}

TEST_CASE("Machine findings: files that are missing or empty say nothing wrong") {
  const Machine machine;
  for (const Finding& finding : machine_findings("/no/such/root/")) {
    CHECK(finding.state == FindingState::absent);
  }
  for (const char* file : {"proc/cpuinfo", "proc/meminfo", "proc/loadavg"}) machine.write(file, "");
  CHECK(machine.finding("other load").state == FindingState::present);
}
