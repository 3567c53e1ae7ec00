// Makes a backend of plain loops in float or double. They are slow and obviously right, so the
// tests compare the other backends with them. 16-bit operands are converted to float before the
// loops and back after them. tf32 computes as fp32.
#pragma once

#include <memory>

#include "executor/backend/backend.hpp"

namespace cnnplan::reference {

// Returns the backend. It supports all precisions on any host.
std::unique_ptr<Backend> make_backend();

}  // namespace cnnplan::reference
