// Holds the table of exit codes that every --help prints.
#include "planner/base/exit_code.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace cnnplan {
namespace {

struct Row {
  ExitCode code;
  std::string_view meaning;
};

constexpr std::array<Row, 13> rows{
    {{ExitCode::ok, "ok"},
     {ExitCode::internal, "internal error: the program has a fault"},
     {ExitCode::usage, "the command line is wrong"},
     {ExitCode::bad_input, "an input file, or a value in it, is wrong"},
     {ExitCode::infeasible, "no plan fits into the memory of the ranks, or memory ran out"},
     {ExitCode::environment, "the machine, its libraries or the launch do not suit the command"},
     {ExitCode::prediction_outside_limit, "the prediction is off by more than its limit"},
     {ExitCode::not_finite, "a value of the training is NaN or infinite"},
     {ExitCode::peer_lost, "another rank was lost"},
     {ExitCode::io, "a file cannot be read or written"},
     {ExitCode::wrong_result, "a check found a wrong result"},
     {ExitCode::too_sensitive, "rounding hides whether results are right: use --precision fp64"},
     {ExitCode::preempted, "a signal stopped the training, and its state is saved"}}};

constexpr std::size_t column = 4;  // where the meanings begin, after an indentation of two

}  // namespace

std::string exit_codes_help(const std::vector<ExitCode>& impossible) {
  std::string text = "EXIT CODES\n";
  for (const Row& row : rows) {
    if (std::find(impossible.begin(), impossible.end(), row.code) != impossible.end()) continue;
    std::string code = std::to_string(static_cast<int>(row.code));
    code.resize(column, ' ');
    text.append("  ").append(code).append(row.meaning).append("\n");
  }
  return text;
}

}  // namespace cnnplan
