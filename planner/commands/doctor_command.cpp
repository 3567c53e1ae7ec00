// Collects findings of this program, of the programs next to it and of the machine, and prints
// them.
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <unistd.h>

#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/terminal.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/helper_program.hpp"
#include "planner/doctor/child_findings.hpp"
#include "planner/doctor/child_program.hpp"
#include "planner/doctor/doctor_text.hpp"
#include "planner/doctor/finding.hpp"
#include "planner/doctor/findings_json.hpp"
#include "planner/doctor/machine_findings.hpp"
#include "planner/doctor/tool_findings.hpp"
#include "planner/import/onnx/onnx_file.hpp"

namespace cnnplan {
namespace {

// Returns the first two lines of --version as one: "0.1.0, commit 0123456789ab".
Finding own_finding(const std::string& version) {
  const std::size_t line = version.find('\n');
  const std::string first = version.substr(0, line);
  const std::string rest = line == std::string::npos ? "" : version.substr(line + 1);
  const std::string second = rest.substr(0, rest.find('\n'));
  const std::size_t commit = second.find_first_not_of(' ', second.find(' '));
  return {.part = "programs",
          .name = "cnnplan",
          .text = first.substr(first.rfind(' ') + 1) +
                  (commit == std::string::npos ? "" : ", commit " + second.substr(commit))};
}

Finding onnx_finding() {
  if (has_onnx()) {
    return {
        .part = "planner",
        .name = "ONNX",
        .text = "opsets " + std::to_string(oldest_opset) + " to " + std::to_string(newest_opset)};
  }
  return {.part = "planner",
          .name = "ONNX",
          .state = FindingState::missing,
          .text = "not built in: models from PyTorch cannot be read",
          .remedy = "sudo apt-get install libonnx-dev libprotobuf-dev && scripts/build"};
}

// Holds a program of the project that was asked, or says why it was not.
struct Asked {
  std::unique_ptr<ChildProgram> child;
  Finding problem;
};

Asked asked(const std::string& program) {
  try {
    const std::string path = beside_this_program(program);
    if (!file_exists(path)) return {nullptr, absent_program(program)};
    if (access(path.c_str(), X_OK) != 0) return {nullptr, not_executable(program, path)};
    return {std::make_unique<ChildProgram>(std::vector<std::string>{path, doctor_option}), {}};
  } catch (const Error& error) {
    return {nullptr, not_started(program, error.what())};
  }
}

std::vector<Finding> answers_of(const std::string& program, Asked& asked) {
  if (!asked.child) return {std::move(asked.problem)};
  return findings_of(program, asked.child->wait(child_limit_s));
}

std::string text_of(const std::vector<Finding>& findings, std::string_view name) {
  for (const Finding& finding : findings) {
    if (finding.name == name && finding.state == FindingState::present) return finding.text;
  }
  return {};
}

// Moves the findings about programs to the front, so that no part is shown twice.
std::vector<Finding> programs_first(std::vector<Finding> findings) {
  std::stable_partition(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.part == "programs";
  });
  return findings;
}

std::vector<Finding> all_findings(const std::string& version) {
  Asked executor = asked("cnnexec");
  Asked profiler = asked("cnnplan-profile");
  ChildProgram mpirun({"mpirun", "--version"});
  const char* const path = std::getenv("PATH");
  std::vector<Finding> findings{own_finding(version)};
  append(findings, answers_of("cnnexec", executor));
  append(findings, answers_of("cnnplan-profile", profiler));
  const std::string library = text_of(findings, mpi_library_name);
  findings.push_back(mpirun_finding(mpirun.wait(child_limit_s), library));
  findings.push_back(onnx_finding());
  findings.push_back(simgrid_finding(program_in(path == nullptr ? "" : path, "smpirun")));
  append(findings, machine_findings());
  return programs_first(std::move(findings));
}

}  // namespace

ExitCode doctor_command(bool as_json, const std::string& version) {
  const std::vector<Finding> findings = all_findings(version);
  std::cout << (as_json ? to_json(findings) : to_text(findings, columns_of(STDOUT_FILENO)));
  return missing_count(findings) == 0 ? ExitCode::ok : ExitCode::environment;
}

}  // namespace cnnplan
