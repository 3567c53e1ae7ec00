// Plain loops in float or double, slow and obviously right: what the other backends are tested
// with.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::reference {

std::unique_ptr<Backend> make_backend();

}  // namespace cnnplan::reference
