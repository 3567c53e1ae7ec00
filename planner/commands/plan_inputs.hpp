// Finds the files at hand from which a plan was made.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.hpp"

namespace cnnplan {

// Knows the files from which the plan was made, except the network, which is recorded first.
// Digests are compared.
class PlanInputs {
 public:
  explicit PlanInputs(const Plan& plan);

  // Returns the named file, or else the file with the default name, if the plan was made from it.
  // If the plan does not record its files, any file is returned.
  // @throws IoError
  std::optional<std::string> take(const std::string& named, const std::string& standard);
  // Says why the taken files do not give the prices of the plan; empty if they do.
  std::string problem() const;

 private:
  bool any_;
  std::vector<InputFile> missing_;
  std::string other_;
};

}  // namespace cnnplan
