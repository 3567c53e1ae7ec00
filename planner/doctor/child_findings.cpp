// Turns the ways in which a child can fail into sentences.
#include "planner/doctor/child_findings.hpp"

#include <cstring>
#include <string_view>

#include "planner/base/error.hpp"
#include "planner/doctor/findings_json.hpp"

namespace cnnplan {
namespace {

constexpr const char* part = "programs";
constexpr const char* rebuild = "scripts/setup && scripts/build";

// Returns the last line that is not empty, shortened to what a table can show.
std::string last_line(std::string_view text) {
  constexpr std::size_t most = 200;
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.remove_suffix(1);
  const std::size_t line = text.rfind('\n');
  if (line != std::string_view::npos) text.remove_prefix(line + 1);
  return std::string(text.substr(0, most));
}

std::string failure_text(const ChildResult& result) {
  switch (result.end) {
    case ChildEnd::timed_out:
      return "has not answered within " + std::to_string(static_cast<int>(child_limit_s)) + " s";
    case ChildEnd::too_much_output:
      return "printed more than " + std::to_string(max_child_output_bytes >> 20) + " MiB";
    case ChildEnd::killed:
      return "crashed by signal " + std::to_string(result.code) + " (" + strsignal(result.code) +
             ")";
    case ChildEnd::exited:
      break;
  }
  return "ended with exit code " + std::to_string(result.code);
}

Finding failed(const std::string& program, std::string text, const std::string& detail) {
  if (!detail.empty()) text += ": " + detail;
  return {.part = part,
          .name = program,
          .state = FindingState::missing,
          .text = std::move(text),
          .remedy = rebuild};
}

}  // namespace

Finding absent_program(const std::string& program) {
  return failed(program, "was not built, or is not in the folder of cnnplan", "");
}

Finding not_executable(const std::string& program, const std::string& path) {
  Finding finding = failed(program, "is there, but nobody may execute it", "");
  finding.remedy = "chmod +x " + path;
  return finding;
}

Finding not_started(const std::string& program, const std::string& why) {
  Finding finding = failed(program, "could not be asked", why);
  finding.remedy.clear();
  return finding;
}

std::vector<Finding> findings_of(const std::string& program, const ChildResult& result) {
  if (result.end != ChildEnd::exited || result.code != 0) {
    return {failed(program, failure_text(result), last_line(result.errors))};
  }
  try {
    std::vector<Finding> findings{
        {.part = part, .name = program, .state = FindingState::present, .text = "answers"}};
    append(findings, parse_findings(result.output, program));
    return findings;
  } catch (const InputError&) {
    return {failed(program, "does not answer as this cnnplan asks", last_line(result.output))};
  }
}

}  // namespace cnnplan
