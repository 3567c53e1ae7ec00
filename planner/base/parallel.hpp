// Runs independent work on all cores that this process may use.
#pragma once

#include <cstddef>
#include <functional>

namespace cnnplan {

// Calls body(0) to body(count - 1), each once, in any order and at the same time, and returns when
// all are done. After a call throws, no further call begins, and the exception of the lowest index
// is thrown again. A nested parallel_for uses one core.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace cnnplan
