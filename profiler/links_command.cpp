// Runs the link measurements, prints their tables, and writes the platform.
#include "profiler/links_command.hpp"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include "executor/backend/backend.hpp"
#include "executor/comm/node_memory.hpp"
#include "executor/comm/nodes.hpp"
#include "executor/comm/program.hpp"
#include "executor/comm/terminal.hpp"
#include "planner/base/bytes_text.hpp"
#include "planner/base/error.hpp"
#include "planner/base/message.hpp"
#include "planner/base/output_file.hpp"
#include "planner/report/advice.hpp"
#include "planner/report/table.hpp"
#include "profiler/common_fingerprint.hpp"
#include "profiler/empty_run.hpp"
#include "profiler/links_measure.hpp"
#include "profiler/progress_bar.hpp"

namespace cnnplan {
namespace {

std::string title(const LinkCurve& curve) {
  switch (curve.kind) {
    case LinkCurveKind::message:
      return "message, one way";
    case LinkCurveKind::exchange:
      return "exchange, both ways at once";
    case LinkCurveKind::exchanges:
      return "exchange in 8 messages";
    case LinkCurveKind::collective:
      return std::string(to_text(curve.collective)) + ", " + std::string(to_text(curve.algorithm));
  }
  throw std::logic_error("unknown kind of curve");
}

// The time that counts of collectives that may have two times is the upper quartile.
bool is_upper_quartile(const LinkCurve& curve) {
  return std::ranges::any_of(curve.samples, &LinkSample::has_two_times);
}

std::string samples_text(const LinkCurve& curve) {
  Table table({{"bytes"},
               {is_upper_quartile(curve) ? "q75 [us]" : "median [us]"},
               {"min [us]"},
               {"stddev [%]"},
               {"algbw [GB/s]"},
               {"busbw [GB/s]"},
               {"wrong"}});
  for (std::size_t i = 0; i < curve.samples.size(); ++i) {
    const LinkSample& sample = curve.samples[i];
    table.add_row({std::to_string(sample.bytes),
                   fixed(sample.seconds() * 1e6, 2),
                   fixed(sample.time.min_s * 1e6, 2),
                   fixed(100.0 * sample.time.stddev_s / sample.seconds(), 0),
                   fixed(algorithm_bandwidth(sample) / 1e9, 2),
                   fixed(bus_bandwidth(curve, sample) / 1e9, 2),
                   curve.wrong.empty() ? "-" : std::to_string(curve.wrong[i])});
  }
  return table.to_text();
}

// Returns a table with alpha, beta and the errors of every segment.
std::string fit_text(const LinkCurve& curve) {
  const LinkFit fit = fit_of(curve);
  Table table({{"up to [bytes]"},
               {"alpha [us]"},
               {"beta [ns/KiB]"},
               {"sizes"},
               {"mean error"},
               {"largest"}});
  for (std::size_t i = 0; i < fit.segments.size(); ++i) {
    const FitError& error = fit.segment_errors[i];
    table.add_row({std::to_string(fit.segments[i].max_bytes),
                   fixed(fit.segments[i].alpha_s * 1e6, 3),
                   fixed(fit.segments[i].beta_s_per_byte * 1e9 * 1024, 3),
                   std::to_string(error.samples),
                   percent(error.mean),
                   percent(error.maximum)});
  }
  const int count = replaced_samples(curve);
  const std::string replaced =
      count == 0 ? "" : ", " + std::to_string(count) + " times replaced by those of other sizes";
  return (curve.is_ring() ? "fit of one step" : "fit") + replaced + ":\n" + table.to_text();
}

std::string error_text(const FitError& error) {
  return "mean error " + percent(error.mean) + ", largest " + percent(error.maximum);
}

std::string curve_text(const LinkCurve& curve, const Platform& platform) {
  return title(curve) + ", " + std::to_string(curve.ranks) + " ranks (" + curve.level + ")" +
         (is_upper_quartile(curve) ? "; q75: upper quartile" : "") + '\n' + samples_text(curve) +
         fit_text(curve) +
         "as solve predicts these times: " + error_text(prediction_error(platform, curve)) + "\n\n";
}

void print(const LinkMeasurements& measurements, const Platform& platform) {
  for (const LinkCurve& curve : measurements.curves) {
    std::fputs(curve_text(curve, platform).c_str(), stdout);
  }
  std::printf("device %s\n", platform.device.c_str());
  std::printf("process %s before it has parameters\n", bytes_text(platform.process_bytes).c_str());
  std::printf("copy %.2f GB/s, add %.2f GB/s, overlap efficiency %.2f, launch %.2f us\n",
              1e-9 / platform.copy_s_per_byte,
              1e-9 / platform.gamma_s_per_byte,
              platform.overlap_efficiency,
              platform.launch_s * 1e6);
}

// Checks that no collective gave a wrong result. @throws std::logic_error
void check_sums(const LinkMeasurements& measurements) {
  for (const LinkCurve& curve : measurements.curves) {
    if (std::ranges::all_of(curve.wrong, [](std::int64_t wrong) { return wrong == 0; })) continue;
    throw std::logic_error(title(curve) + " over " + std::to_string(curve.ranks) +
                           " ranks: wrong results, see the column 'wrong'");
  }
}

void require_ranks(const LinksRequest& request, int ranks) {
  if (request.device_only && ranks > 1) {
    throw Error(
        ExitCode::usage,
        "--device-only: measures one rank, but this program runs on " + std::to_string(ranks));
  }
  if (request.device_only || ranks > 1) return;
  throw Error(ExitCode::usage,
              "--links: one rank measures no link; start it with: " + links_advice(2) +
                  " (with as many ranks as plans will have), or add --device-only to measure "
                  "copies, sums and launches alone");
}

}  // namespace

void links_command(const LinksRequest& request, const Communicator& world) {
  require_ranks(request, world.size());
  std::unique_ptr<OutputFile> output;  // on rank 0
  on_first_rank(world, [&] { output = std::make_unique<OutputFile>(request.output_file); });
  ProgressBar bar(world.rank() == 0, stderr_is_terminal(), message_style().columns);
  LinkOptions options;
  const std::unique_ptr<Backend> library =
      make_backend(request.backend, {.local_rank = find_nodes(world).rank_here});
  library->prepare_thread();
  options.device =
      common_fingerprint(
          library->fingerprint(), most_ranks_on_a_device(world, library->device()), world)
          .device;
  options.process_bytes = empty_run_bytes(world, *library);
  options.device_memory = &library->device();
  options.nccl = request.nccl;
  options.most_bytes = request.most_bytes;
  options.time_budget_s = request.time_budget_s;
  options.progress = [&bar](const LinkProgress& progress) {
    bar.show(progress.done, progress.total, progress.what);
  };
  const LinkMeasurements measurements = measure_links(world, options);
  Platform platform;
  on_first_rank(world, [&] {
    platform = platform_of(measurements);
    print(measurements, platform);
    check_sums(measurements);
    output->write(to_json(platform));
    if (const std::string text = short_budget_text(measurements, options); !text.empty()) {
      print_warning(text, message_style());
    }
  });
  if (world.rank() != 0) return;
  std::printf("wrote %s\n", request.output_file.c_str());
}

}  // namespace cnnplan
