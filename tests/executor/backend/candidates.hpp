// The backends and precisions whose kernels the tests compare with plain loops in double.
#pragma once

#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "planner/tensor/element.hpp"

namespace cnnplan::test {

// A backend and the precision it is tested in.
struct Candidate {
  std::string backend;
  Precision precision = Precision::fp32;
};
// All backends of this build in all their precisions except double; the fastest backend comes last.
const std::vector<Candidate>& candidates();
// The backend and precision that the candidates are compared with: `reference` in double.
Candidate oracle();
// A backend that is kept until the program ends, since some backends take long to start. The thread
// is prepared to run its kernels.
Backend& prepared(const std::string& name);
// Returns how many random cases a test tries: `usual`, or CNNPLAN_CASES where it is set.
int random_cases(int usual);

}  // namespace cnnplan::test
