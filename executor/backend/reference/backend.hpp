// Plain loops in float or double, slow and obviously right: what the other backends are tested
// with. 16-bit operands are converted to float before the loops and back after them; tf32 computes
// as fp32.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::reference {

std::unique_ptr<Backend> make_backend();

}  // namespace cnnplan::reference
