// Which of the files at hand a plan was made from.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// What the plan was made from besides the network, which is recorded first. Digests are compared.
class PlanInputs {
 public:
  explicit PlanInputs(const Plan& plan);

  // The file that the user named or that has the default name, where the plan was made from it; any
  // file where the plan does not say what it was made from. @throws IoError
  std::optional<std::string> take(const std::string& named, const std::string& standard);
  // Why prices of these files are none of the plan; empty where they are.
  std::string problem() const;

 private:
  bool any_;
  std::vector<InputFile> missing_;
  std::string other_;
};

}  // namespace cnnplan
