// Runs the link measurements, prints their tables, writes the platform.
#include "profiler/links_command.hpp"

#include <cstdio>
#include <string_view>

#include <unistd.h>

#include "planner/model/file.hpp"
#include "planner/report/table.hpp"
#include "profiler/links_measure.hpp"
#include "profiler/progress_bar.hpp"

namespace cnnplan {
namespace {

std::string_view title(LinkCurveKind kind) {
  switch (kind) {
    case LinkCurveKind::message:
      return "message, one way";
    case LinkCurveKind::exchange:
      return "exchange, both ways at once";
    case LinkCurveKind::library_allreduce:
      return "allreduce of the MPI library";
    default:
      return "allreduce by own ring";
  }
}

std::string curve_text(const LinkCurve& curve) {
  Table table({{"bytes"},
               {"median [us]"},
               {"min [us]"},
               {"stddev [%]"},
               {"algbw [GB/s]"},
               {"busbw [GB/s]"}});
  for (const LinkSample& sample : curve.samples) {
    table.add_row({std::to_string(sample.bytes),
                   fixed(sample.time.median_s * 1e6, 2),
                   fixed(sample.time.min_s * 1e6, 2),
                   fixed(100.0 * sample.time.stddev_s / sample.time.median_s, 0),
                   fixed(algorithm_bandwidth(sample) / 1e9, 2),
                   fixed(bus_bandwidth(curve, sample) / 1e9, 2)});
  }
  const FitError error = fit_segments(curve.samples).error;
  return std::string(title(curve.kind)) + ", " + std::to_string(curve.ranks) + " ranks (" +
         curve.level + ")\n" + table.to_text() + "fit: mean error " + percent(error.mean) +
         ", largest " + percent(error.maximum) + "\n\n";
}

void print(const LinkMeasurements& measurements, const Platform& platform) {
  for (const LinkCurve& curve : measurements.curves) {
    std::fputs(curve_text(curve).c_str(), stdout);
  }
  std::printf("device %s\n", platform.device.c_str());
  std::printf("copy %.2f GB/s, add %.2f GB/s, overlap efficiency %.2f, launch %.2f us\n",
              1e-9 / platform.copy_s_per_byte,
              1e-9 / platform.gamma_s_per_byte,
              platform.overlap_efficiency,
              platform.launch_s * 1e6);
}

}  // namespace

void links_command(const std::string& file, const Communicator& world) {
  ProgressBar bar(world.rank() == 0 && isatty(STDERR_FILENO) == 1);
  LinkOptions options;
  options.progress = [&bar](const LinkProgress& progress) {
    bar.show(progress.done, progress.total, progress.what);
  };
  const LinkMeasurements measurements = measure_links(world, options);
  if (world.rank() != 0) return;
  const Platform platform = platform_of(measurements);
  write_file(file, to_json(platform));
  print(measurements, platform);
  std::printf("wrote %s\n", file.c_str());
}

}  // namespace cnnplan
