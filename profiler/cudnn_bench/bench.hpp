// Runs the whole measurement of cudnn_bench, from options to lines of JSON.
#pragma once

#include <iosfwd>

#include "planner/base/error.hpp"
#include "profiler/cudnn_bench/bench_options.hpp"

namespace cnnplan::cudnn {

// Writes JSON lines to `out`, and names in `log` what runs next. Returns the exit code, which is
// not ok if the device was lost; the last line says so.
// @throws InputError, IoError for the network, and the errors of parse_network_or_model();
// InputError for too large a batch; IoError for `out`; EnvironmentError if there is no device, or
// it lacks the precision; BackendError if the runtime or cuDNN cannot begin
ExitCode run_bench(const BenchOptions& options, std::ostream& out, std::ostream& log);

}  // namespace cnnplan::cudnn
