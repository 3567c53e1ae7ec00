// Work on all cores that this process may use.
#pragma once

#include <cstddef>
#include <functional>

namespace cnnplan {

// Calls body(0) to body(count - 1), each once, in any order and at the same time; returns when all
// are done. After a call that throws none is begun; what the one of the lowest index threw is
// thrown again. Inside a call it works on one core.
void parallel_for(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace cnnplan
