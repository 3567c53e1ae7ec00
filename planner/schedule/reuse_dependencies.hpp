// Orders operations that run at the same time where memory passes from one buffer to another.
#pragma once

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// A buffer's place is free for the next buffer after its last use in the list of operations. Where
// streams run at the same time, the operation that opens the next buffer must also wait for the
// last users of that memory. No dependency is added where the order of a stream already ensures it.
// @pre place_buffers(schedule) was called
void add_reuse_dependencies(Schedule& schedule);

}  // namespace cnnplan
