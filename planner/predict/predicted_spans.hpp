// Walks a plan as predict() does, and says when each operation of every class of ranks runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/predict/operation_spans.hpp"
#include "planner/predict/price.hpp"

namespace cnnplan {

struct SpannedOperation {
  std::string id;
  OperationLabel label{};
  Stream stream = Stream::compute;
  int lane = 0;
  OperationSpan span{};
};

// Holds what the representative of a class does.
struct ClassSpans {
  IndexedVector<OperationIndex, SpannedOperation> operations{};
  std::int64_t memory_bytes = 0;  // without workspaces and the process
};

struct PredictedSpans {
  double step_s = 0.0;
  std::vector<ClassSpans> classes{};  // by class
};

// @pre validate(plan) holds; `classes` has as many ranks as the plan
PredictedSpans predicted_spans(const Plan& plan,
                               const RankClasses& classes,
                               const PriceList& prices);

}  // namespace cnnplan
