// Takes the time of the events between kernels out of the times of kernels. A step of a training
// has no such events.
#pragma once

#include <cstddef>
#include <span>

#include "profiler/kernel_walk.hpp"

namespace cnnplan {

// Returns the seconds of one event, from the times of passes with and without events. It is the
// difference of both medians, divided by the number of events that run one after the other in a
// pass (KernelGraphs::added_events). It is 0 where passes with events took no longer.
// @pre neither list is empty, and a pass has at least one event
double seconds_per_event(std::span<const double> with_s,
                         std::span<const double> without_s,
                         std::size_t events);

// Subtracts the time of one event from each time of `samples`. A tenth of a time is left at least,
// since the time of an event is known from differences only.
void subtract_event(KernelSamples& samples, double event_s);

}  // namespace cnnplan
