// Describes one thing that a machine and a build have, lack, or could have better.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/base/enumerators.hpp"

namespace cnnplan {

enum class FindingState {
  present,  // it is there and works
  missing,  // this machine could use it
  advice,   // it works, and would work better otherwise
  absent,   // this machine has no use for it, or does not tell
};

std::string_view to_text(FindingState state);

template <>
struct Enumerators<FindingState> {
  static constexpr std::array all{
      FindingState::present, FindingState::missing, FindingState::advice, FindingState::absent};
};

struct Finding {
  std::string part;  // groups findings: "MPI"
  std::string name;  // "mpirun"
  FindingState state = FindingState::present;
  std::string text;      // a version, a number, or what is wrong
  std::string remedy{};  // a command that changes the state; may be empty

  bool operator==(const Finding&) const = default;
};

// Appends the second list to the first one.
inline void append(std::vector<Finding>& findings, std::vector<Finding> more) {
  for (Finding& finding : more) findings.push_back(std::move(finding));
}

}  // namespace cnnplan
