// Backends that are made once per program, and the precisions that they have.
#include "tests/executor/backend/candidates.hpp"

#include <map>
#include <memory>

#include "planner/base/error.hpp"
#include "planner/tensor/enumerators.hpp"
#include "tests/executor/environment.hpp"
#include "tests/executor/tested_backend.hpp"

namespace cnnplan::test {
namespace {

bool has_backend(const std::string& name) {
  try {
    prepared(name);
    return true;
  } catch (const EnvironmentError&) {
    return false;
  }
}

std::vector<Candidate> find_candidates() {
  std::vector<Candidate> list;
  for (const std::string name : {"reference", "onednn", "cudnn"}) {
    if (tested_backend(name) != name || !has_backend(name)) continue;
    for (Precision precision : Enumerators<Precision>::all) {
      if (precision != Precision::fp64 && prepared(name).supports(precision)) {
        list.push_back({name, precision});
      }
    }
  }
  return list;
}

}  // namespace

// The backends are never destroyed, because the devices that they run on may be gone by then.
Backend& prepared(const std::string& name) {
  static auto& backends = *new std::map<std::string, std::unique_ptr<Backend>>();
  std::unique_ptr<Backend>& backend = backends[name];
  if (backend == nullptr) backend = make_backend(name, {.engine_trials = 2});
  backend->prepare_thread();
  return *backend;
}

int random_cases(int usual) {
  return environment_number("CNNPLAN_CASES", usual);
}

const std::vector<Candidate>& candidates() {
  static const std::vector<Candidate> found = find_candidates();
  return found;
}

Candidate oracle() {
  return {"reference", Precision::fp64};
}

}  // namespace cnnplan::test
