// Holds the values to which the handles of the public header point.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "planner/api/cnnplan.hpp"
#include "planner/base/input_file.hpp"
#include "planner/kernel/profile.hpp"
#include "planner/network/network.hpp"
#include "planner/plan/plan.hpp"
#include "planner/platform/platform.hpp"

namespace cnnplan::api {
inline namespace v1 {

// Files are recorded as plans name them. A value that no file holds has no record.
struct NetworkValue {
  cnnplan::Network network;
  InputFile file;
  std::vector<std::string> notes;
};

struct PlatformValue {
  cnnplan::Platform platform;
  std::optional<InputFile> file;
};

struct ProfileValue {
  cnnplan::Profile profile;
  std::optional<InputFile> file;
};

// Operations of the prediction have a part.
struct PlanValue {
  cnnplan::Plan plan;
};

// Returns a handle to a value.
template <typename Value>
Handle<Value> handle_to(Value value) {
  return Handle<Value>(std::make_shared<const Value>(std::move(value)));
}

}  // namespace v1
}  // namespace cnnplan::api
