// Writes findings to standard output, where cnnplan reads them.
#include "executor/doctor/doctor_answer.hpp"

#include <cstdio>
#include <string>

#include "planner/base/exit_code.hpp"
#include "planner/doctor/findings_json.hpp"

namespace cnnplan {

int answer_with(const std::vector<Finding>& findings) {
  const std::string text = to_json(findings);
  const bool is_written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;
  return static_cast<int>(is_written ? ExitCode::ok : ExitCode::io);
}

}  // namespace cnnplan
