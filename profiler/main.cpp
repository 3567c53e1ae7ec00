// Declares the command line of cnnplan-profile, which times the kernels and links of this machine.
// `cnnplan profile` starts this program.
#include <cstdint>
#include <exception>
#include <string>

#include <CLI/CLI.hpp>

#include "executor/cli_comm_timeout.hpp"
#include "executor/cli_exit.hpp"
#include "executor/comm/program.hpp"
#include "executor/comm/terminal.hpp"
#include "executor/doctor/doctor_answer.hpp"
#include "executor/doctor/mpi_findings.hpp"
#include "planner/base/error.hpp"
#include "planner/base/exit_code.hpp"
#include "planner/base/message.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/cli/help_text.hpp"
#include "planner/cli/number_in.hpp"
#include "planner/cli/one_of.hpp"
#include "planner/cli/standard_streams.hpp"
#include "planner/cli/suggestions.hpp"
#include "planner/cli/version_text.hpp"
#include "planner/plan/plan.hpp"
#include "planner/tensor/enumerators.hpp"
#include "profiler/links_command.hpp"
#include "profiler/profile_command.hpp"

namespace cnnplan {
namespace {

std::string footer() {
  return examples_text({
             {"mpirun -n 2 cnnplan profile --links", "writes platform.json"},
             {"mpirun -n 2 cnnplan profile resnet50 --ranks 2 --batch 4", "profile.json"},
             {"mpirun -n 2 cnnplan profile mesh-1k --input 512x512 --ranks 2 --batch 1", ""},
             {"mpirun -n 2 cnnplan profile --missing-from plan.json",
              "times what solve had to estimate"},
         }) +
         section_text(
             "KERNELS",
             "The program times every convolution, batch norm, pooling and element-wise kernel "
             "that any plan of the networks can need. It times forward, backward data and "
             "backward filter separately, in the order and the buffers of a training step. "
             "Kernels that the profile file already holds are not timed again. The file is "
             "written after every schedule, so an interrupted profile continues where it stopped. "
             "On CPUs, start the program under mpirun with as many ranks as the node will run: "
             "the ranks share memory and clock, which shows in the times. GPUs do not slow each "
             "other, so one rank without mpirun is enough for them.\nA kernel that fails is named "
             "and left out. The other kernels are timed and written, and the exit code is 5. On a "
             "GPU, where stderr goes to a file or a pipe, each engine of a convolution is named "
             "before it first runs. An engine that makes the GPU unusable ends the program; "
             "--engine-trials 1 tries fewer engines.") +
         section_text("LINKS",
                      "--links times messages of 8 B to 64 MiB (--max-bytes), collectives, copies "
                      "and reductions, and fits alpha, beta and gamma piecewise.");
}

constexpr const char* default_network = "network.json";

struct Options {
  bool links = false;
  bool doctor = false;  // answer cnnplan doctor instead of timing
  ProfileOptions kernels;
  LinksRequest links_request;
  std::string output_file;
  double comm_timeout_s = default_comm_timeout_s;
};

// Smaller messages do not show the bandwidth of a link.
constexpr std::int64_t least_message_bytes = std::int64_t{64} << 10;
constexpr std::int64_t most_message_bytes = std::int64_t{1} << 30;  // MPI counts bytes in 31 bits

// Call this function after all options that --missing-from excludes were added.
void add_missing_from(CLI::App& app, ProfileOptions& options, CLI::Option& links) {
  CLI::Option* const missing = app.add_option("--missing-from",
                                              options.missing_from,
                                              "Time only kernels that this plan needs and the "
                                              "profile lacks, for its ranks and batch")
                                   ->type_name("FILE");
  missing->excludes(&links);
  for (const char* other :
       {"networks", "--ranks", "--batch", "--precision", "--input", "--axes", "--uniform"}) {
    missing->excludes(app.get_option(other));
  }
}

void add_kernel_options(CLI::App& app, ProfileOptions& options, CLI::Option& links) {
  app.option_defaults()->group("Kernels");
  app.add_option(
         "networks", options.networks, "Network files or ONNX models; default: network.json")
      ->excludes(&links);
  app.add_option(
         "-r,--ranks",
         options.ranks,
         "Ranks of the plans; default: as many as mpirun starts, or one per core without it")
      ->check(CLI::Range(1, max_ranks))
      ->excludes(&links);
  app.add_option("-b,--batch", options.batch, "Samples per step, over all ranks")
      ->check(CLI::Range(std::int64_t{1}, max_batch))
      ->capture_default_str()
      ->excludes(&links);
  app.add_option("--precision", options.precision, "fp32, fp64, tf32, bf16, fp16")
      ->transform(one_of(names_of<Precision>()))
      ->default_str("fp32")
      ->excludes(&links);
  app.add_option("-i,--input",
                 options.input_size,
                 "Image size HxW or DxHxW, for ONNX models also CxHxW; default: the network's")
      ->type_name("DIMS")
      ->excludes(&links);
  app.add_option(
         "--axes", options.axes, "Time only kernels that solve with these --axes needs, e.g. nhw")
      ->type_name("AXES")
      ->capture_default_str()
      ->excludes(&links);
  app.add_option("--uniform",
                 options.uniform,
                 "Also time kernels that only solve --uniform MESH needs, and not the search")
      ->type_name("MESH")
      ->excludes(&links);
  add_missing_from(app, options, links);
  app.add_option("--repetitions", options.repetitions, "Timed repetitions of every kernel")
      ->check(CLI::Range(10, 1000))
      ->capture_default_str()
      ->excludes(&links);
}

void add_links_options(CLI::App& app, LinksRequest& request, CLI::Option& links) {
  app.option_defaults()->group("Links");
  app.add_option("--max-bytes",
                 request.most_bytes,
                 "The largest message, e.g. 256MiB, a power of two; default: 64MiB")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(least_message_bytes, most_message_bytes))
      ->needs(&links);
  app.add_option("--time-budget",
                 request.time_budget_s,
                 "About how many seconds the measurement may take; on slow links, large sizes have "
                 "fewer repetitions or only the fastest algorithms, or are left out")
      ->type_name("SECONDS")
      ->check(number_in(1.0, 86400.0))
      ->capture_default_str()
      ->needs(&links);
  app.add_flag("--nccl", request.nccl, "Take NCCL's allreduce as the library's")->needs(&links);
  app.add_flag("--device-only",
               request.device_only,
               "On one rank: measure copies, sums and launches, but no link")
      ->needs(&links);
}

// A profile grows in its file, and is read again to go on.
std::string refuse_stdout(std::string& file) {
  return is_standard_output(file) ? "a hyphen stands for stdout; needed: a file" : "";
}

void add_device_options(CLI::App& app, ProfileOptions& kernels, CLI::Option& links) {
  app.option_defaults()->group("Device");
  app.add_option("--backend",
                 kernels.backend,
                 "Kernels: cudnn, onednn, reference; default: cudnn on a machine with a GPU, else "
                 "onednn, if the build has them")
      ->type_name("NAME");
  app.add_flag("--deterministic",
               kernels.deterministic,
               "On a GPU, use only kernels that give the same bits every time");
  app.add_option("--workspace",
                 kernels.most_workspace_bytes,
                 "On a GPU, most memory of a convolution in addition to its operands, e.g. 256MiB; "
                 "default: 1GiB")
      ->type_name("BYTES")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::NonNegativeNumber);
  app.add_option("--engine-trials",
                 kernels.engine_trials,
                 "On a GPU, most engines that are timed for each variant of a convolution")
      ->check(CLI::Range(1, most_engine_trials))
      ->capture_default_str()
      ->excludes(&links);
}

void add_options(CLI::App& app, Options& options) {
  app.option_defaults()->group("Links");
  CLI::Option* links =
      app.add_flag("--links", options.links, "Time links instead of kernels; with -o, --backend");
  add_kernel_options(app, options.kernels, *links);
  add_device_options(app, options.kernels, *links);
  app.add_flag(
      "--doctor", options.doctor, "Instead of timing, print which MPI runs, for cnnplan doctor");
  add_links_options(app, options.links_request, *links);
  add_comm_timeout(app, options.comm_timeout_s);
  app.option_defaults()->group("Files");
  app.add_option("-o,--output",
                 options.output_file,
                 "Output file; default: profile.json, with --links platform.json")
      ->type_name("FILE")
      ->check(CLI::Validator(refuse_stdout, ""));
  app.footer(footer() + exit_codes_help({ExitCode::prediction_outside_limit,
                                         ExitCode::not_finite,
                                         ExitCode::wrong_result,
                                         ExitCode::too_sensitive,
                                         ExitCode::preempted}));
}

void set_defaults(Options& options) {
  if (options.kernels.networks.empty()) options.kernels.networks = {default_network};
  if (options.output_file.empty()) {
    options.output_file = options.links ? "platform.json" : "profile.json";
  }
  options.kernels.output_file = options.output_file;
  options.links_request.output_file = options.output_file;
  options.links_request.backend = options.kernels.backend;
}

int run(int argc, char** argv) {
  CLI::App app("cnnplan profile: time the kernels and links of this machine", "cnnplan profile");
  use_help_text(app);
  suggest_options(app, message_style().columns);
  app.set_version_flag("--version", version_text("cnnplan profile"), "Print the version");
  Options options;
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return exit_code_of(app, error);
  }
  if (options.doctor) return answer_with(mpi_findings());
  set_defaults(options);
  options.kernels.chose_backend = app.count("--backend") > 0;
  const double timeout_s = options.comm_timeout_s;
  return run_program("cnnplan profile", timeout_s, argc, argv, [&](const Communicator& world) {
    const std::string why = options.kernels.chose_backend ? "" : why_no_gpu();
    if (world.rank() == 0 && !why.empty()) {
      print_note("cnnplan profile: note: " + why, message_style());
    }
    if (options.links) {
      links_command(options.links_request, world);
    } else {
      profile_command(options.kernels, world);
    }
  });
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  cnnplan::occupy_closed_streams();
  try {
    return cnnplan::code_after_output("cnnplan profile", cnnplan::run(argc, argv));
  } catch (const std::exception& error) {
    cnnplan::print_error("cnnplan profile",
                         std::string("internal error: ") + error.what(),
                         cnnplan::message_style());
    return static_cast<int>(cnnplan::ExitCode::internal);
  }
}
