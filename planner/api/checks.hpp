// Checks values of programs as command lines check their options.
#pragma once

#include "planner/api/cnnplan.hpp"

namespace cnnplan::api {
inline namespace v1 {

// Refuses numbers of nodes or ranks that no plan may have. `option` names the number in errors.
// @throws InputError
void require_ranks(const char* option, int ranks);

// Refuses a profile of another device than the platform's. @throws InputError
void require_same_device(const Platform& platform, const Profile& profile);

}  // namespace v1
}  // namespace cnnplan::api
