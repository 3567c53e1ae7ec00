// Places the buffers of a schedule in one arena: buffers whose lives do not overlap share memory.
#pragma once

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Sets arena_bytes, and offset_bytes of every arena buffer that an operation uses. Offsets are
// multiples of 4096 for buffers of 4096 bytes and more, else of 64.
// @pre first_use and last_use of all buffers are set. @throws InputError on overflow
void place_buffers(Schedule& schedule);
// Returns the bytes of an arena whose buffers share no memory. The arena_bytes that place_buffers()
// sets are at most this number.
std::int64_t most_arena_bytes(const Schedule& schedule);

}  // namespace cnnplan
