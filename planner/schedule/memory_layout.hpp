// Places the buffers of a schedule in one arena: buffers whose lives do not overlap share memory.
#pragma once

#include "planner/schedule/schedule.hpp"

namespace cnnplan {

// Sets offset_bytes of every arena buffer and arena_bytes. Offsets are multiples of 4096 bytes for
// buffers of a page and more, else of 64.
void place_buffers(Schedule& schedule);
// Returns the bytes of an arena whose buffers share no memory: no layout takes more.
std::int64_t most_arena_bytes(const Schedule& schedule);

}  // namespace cnnplan
