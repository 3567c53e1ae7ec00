// The whole measurement: from options to lines of JSON.
#pragma once

#include <iosfwd>

#include "planner/base/error.hpp"
#include "profiler/cudnn_bench/bench_options.hpp"

namespace cnnplan::cudnn {

// Writes JSON lines to `out`, and to `log` what runs next. Returns the exit code: not ok where the
// device was lost, which the last line says.
// @throws InputError, IoError for the network; EnvironmentError where there is no device, or it
// lacks the precision
ExitCode run_bench(const BenchOptions& options, std::ostream& out, std::ostream& log);

}  // namespace cnnplan::cudnn
