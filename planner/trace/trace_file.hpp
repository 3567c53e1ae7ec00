// Writes a trace as Chrome trace events, which ui.perfetto.dev and chrome://tracing open.
#pragma once

#include <cstdint>
#include <string>

#include "planner/trace/event_trace.hpp"

namespace cnnplan {

// A larger file is refused. Viewers in a browser hardly open larger ones.
inline constexpr std::int64_t most_trace_bytes = 100'000'000;

// Returns the JSON text of the trace, which is compressed by gzip if `compressed`. Times in the
// text are microseconds with three decimals.
// @throws InfeasibleError if the returned text, compressed or not, would have more than
// `most_bytes`
std::string trace_text(const EventTrace& trace,
                       bool compressed,
                       std::int64_t most_bytes = most_trace_bytes);

}  // namespace cnnplan
