// Order where memory passes from one buffer to another and operations run side by side.
#pragma once

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// The place of a buffer is free for the next one as soon as the list of operations says so. Where
// streams run side by side that is not enough: what opens the next buffer then depends on the last
// operations that used its memory before. Left out where the order of a stream says the same.
// @pre place_buffers(schedule) was called
void add_reuse_dependencies(Schedule& schedule);

}  // namespace cnnplan
