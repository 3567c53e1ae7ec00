// Declares the command line of cnnplan, and runs the command that it names.
#include <algorithm>
#include <iostream>
#include <limits>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "planner/base/error.hpp"
#include "planner/base/exit_code.hpp"
#include "planner/base/message.hpp"
#include "planner/base/similar_names.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/cli/help_text.hpp"
#include "planner/cli/index_range.hpp"
#include "planner/cli/number_in.hpp"
#include "planner/cli/silence.hpp"
#include "planner/cli/standard_streams.hpp"
#include "planner/cli/suggestions.hpp"
#include "planner/cli/version_text.hpp"
#include "planner/commands/commands.hpp"
#include "planner/commands/compare_cli.hpp"
#include "planner/commands/import_cli.hpp"
#include "planner/commands/launch_cli.hpp"
#include "planner/commands/solve_cli.hpp"

namespace cnnplan {
namespace {

std::string overview() {
  return section_text("FILES",
                      "Files lie in the current directory unless an option names another place: "
                      "platform.json (links), profile.json (kernel times), plan.json (the "
                      "strategy), run.json (what cnnexec measured).") +
         examples_text({
             {"mpirun -n 2 cnnplan profile --links", ""},
             {"mpirun -n 2 cnnplan profile resnet50 --ranks 2 --batch 4", ""},
             {"cnnplan solve resnet50 --ranks 2 --batch 4", ""},
             {"cnnplan solve model.onnx --ranks 2 --batch 4", "a model from PyTorch"},
             {"mpirun -n 2 cnnexec plan.json --steps 20", ""},
             {"cnnplan launch plan.json --slurm", "a script for a cluster"},
             {"cnnplan compare plan.json run.json --max-error 0.15", ""},
             {"cnnplan simulate plan.json --max-error 0.05", ""},
         });
}

std::string explain_help() {
  return examples_text({
      {"cnnplan explain", "plan.json, one row per layer"},
      {"cnnplan explain plan.json --layer conv1",
       "every operation of one layer; its price is a formula if platform.json and profile.json "
       "are the files that the plan was made from"},
      {"cnnplan explain plan.json --sensitivity",
       "how much faster or slower a link or kernel must be for another split to win; with --layer "
       "conv1, for another split of conv1"},
      {"cnnplan explain plan.json --roofline",
       "what memory and arithmetic allow at best, and which kernels lose most compared with it"},
  });
}

std::string report_help() {
  return examples_text({
             {"cnnplan report", "plan.json, written to report.html"},
             {"cnnplan report plan.json run.json -o run.html", "with what cnnexec measured"},
             {"cnnplan report plans/plan-2.json plans/plan-4.json", "with the scaling"},
         }) +
         section_text("REPORT",
                      "The page is one file that any browser opens without a network. It shows the "
                      "summary, the network, how tensors are cut, times by layer, the timeline of "
                      "the step, memory, and where the figures come from. The timeline needs the "
                      "platform.json and profile.json that a plan was made from. A build without "
                      "npm has no page, and the exit code is 5.");
}

std::string simulate_help() {
  return examples_text({
             {"cnnplan simulate",
              "plan.json, with the platform.json and profile.json that it was solved with"},
             {"cnnplan simulate plan.json --max-error 0.05 -o traces", ""},
         }) +
         section_text("SIMULATION",
                      "The schedules of all ranks are written as traces, which SimGrid's smpirun "
                      "replays. It works out by itself which rank waits for which, and which "
                      "messages share a link. Kernels take their predicted times. Without "
                      "SimGrid, the traces are written and not replayed, and the exit code is 5.");
}

std::string trace_help() {
  return examples_text({
             {"cnnplan trace", "plan.json, to trace.json.gz"},
             {"cnnplan trace plan.json run.json", "predicted and measured steps"},
             {"cnnplan trace plan.json --ranks 0:8 -o step.json", "without compression"},
         }) +
         section_text("TRACE",
                      "Open the file in ui.perfetto.dev or chrome://tracing. A plan gives its "
                      "predicted step, and a run the steps that cnnexec --trace-steps measured. "
                      "Each rank is a process, and each stream and lane is a thread. Arrows are "
                      "messages between "
                      "ranks. The slice 'waiting' in an operation is the time that it waits for "
                      "other ranks. A plan of more than 64 ranks shows one rank of each group of "
                      "ranks that do equal work, unless --ranks chooses others.");
}

std::string check_help() {
  return examples_text({
      {"cnnplan check plan.json platform.json", ""},
      {"cnnplan check model.onnx", "says which nodes no layer expresses"},
  });
}

std::string exit_codes() {
  return exit_codes_help({ExitCode::wrong_result, ExitCode::too_sensitive, ExitCode::preempted});
}

void add_explain(CLI::App& app, ExplainOptions& options) {
  CLI::App* explain = app.add_subcommand("explain", "Show the choice and its cost for every layer");
  explain->group("Commands");
  explain->add_option("plan", options.plan_file, "Plan file")->capture_default_str();
  explain->option_defaults()->group("What to print");
  explain
      ->add_option("-l,--layer",
                   options.layer,
                   "Show every operation of this layer with its price as a formula, and what other "
                   "splits of the layer would cost")
      ->type_name("NAME");
  explain->add_flag("-s,--sensitivity",
                    options.sensitivity,
                    "Show which figures decide the closest choices, or the choice of --layer");
  explain
      ->add_flag("--roofline",
                 options.roofline,
                 "Show the least time of each kernel by the device's memory and arithmetic")
      ->excludes("--layer", "--sensitivity");
  explain->add_flag("--wide", options.wide, "Show every layer and all columns");
  explain->add_flag("--json", options.json, "Print the summary and all layers as JSON instead")
      ->excludes("--layer", "--sensitivity", "--wide");
  explain->option_defaults()->group("Files");
  explain
      ->add_option("-p,--platform",
                   options.platform_file,
                   "Links that the plan was made from; default: as for solve")
      ->type_name("FILE");
  explain
      ->add_option("-k,--profile",
                   options.profile_file,
                   "Kernel times that the plan was made from; default: as for solve")
      ->type_name("FILE");
  explain->footer(explain_help() + exit_codes());
}

void add_report(CLI::App& app, ReportOptions& options) {
  CLI::App* report =
      app.add_subcommand("report", "Write a page that shows plans, and runs of them");
  report->group("Commands");
  report->add_option("files", options.files, "Plan files and run files")
      ->type_name("FILE")
      ->capture_default_str();
  report->option_defaults()->group("Files");
  report->add_option("-o,--output", options.output_file, "Page that is written")
      ->type_name("FILE")
      ->capture_default_str();
  report
      ->add_option("-p,--platform",
                   options.platform_file,
                   "Links that the plan was made from; default: as for solve")
      ->type_name("FILE");
  report
      ->add_option("-k,--profile",
                   options.profile_file,
                   "Kernel times that the plan was made from; default: as for solve")
      ->type_name("FILE");
  report->add_flag("--json", options.json, "Print the values of the page as JSON instead")
      ->group("What to print");
  report->footer(report_help() + exit_codes());
}

void add_simulate(CLI::App& app, SimulateOptions& options) {
  CLI::App* simulate =
      app.add_subcommand("simulate", "Check the predicted step time of a plan with SimGrid");
  simulate->group("Commands");
  simulate->add_option("plan", options.plan_file, "Plan file")->capture_default_str();
  simulate->option_defaults()->group("Files");
  simulate->add_option("-p,--platform", options.platform_file, "Links; default: as for solve")
      ->type_name("FILE");
  simulate->add_option("-k,--profile", options.profile_file, "Kernel times; default: as for solve")
      ->type_name("FILE");
  simulate->add_option("-o,--output", options.folder, "Folder of the traces")
      ->type_name("FOLDER")
      ->capture_default_str();
  simulate->option_defaults()->group("Simulation");
  simulate
      ->add_option("-e,--max-error",
                   options.max_error,
                   "Allowed error of the predicted step time, a fraction; default: any")
      ->type_name("FRACTION")
      ->check(number_in(0.0, std::numeric_limits<double>::infinity()));
  simulate->add_flag("--real-bytes",
                     options.real_bytes,
                     "Send messages of their real sizes; by default, of the size that takes their "
                     "time on a link with one latency and one bandwidth");
  simulate->add_flag(
      "--by-messages",
      options.by_messages,
      "Replay every sum and gather message by message over the links, as if none had "
      "been measured as a whole; by default, measured ones take their measured time");
  simulate->add_flag("--json", options.json, "Print the times as JSON instead")
      ->group("What to print");
  simulate->footer(simulate_help() + exit_codes());
}

void add_trace(CLI::App& app, TraceCommandOptions& options) {
  CLI::App* trace =
      app.add_subcommand("trace", "Write predicted and measured steps as a trace for Perfetto");
  trace->group("Commands");
  trace->add_option("files", options.files, "A plan, a run, or both; default: plan.json")
      ->type_name("FILE");
  trace->option_defaults()->group("What to show");
  trace->add_option("-r,--ranks", options.ranks, "Show ranks A to B - 1 only")
      ->type_name("A:B")
      ->check(index_range_problem);
  trace->option_defaults()->group("Files");
  trace->add_option("-p,--platform", options.platform_file, "Links; default: as for solve")
      ->type_name("FILE");
  trace->add_option("-k,--profile", options.profile_file, "Kernel times; default: as for solve")
      ->type_name("FILE");
  trace
      ->add_option(
          "-o,--output", options.output_file, "Trace, compressed unless the name ends in .json")
      ->type_name("FILE")
      ->capture_default_str();
  trace->footer(trace_help() + exit_codes());
}

void add_check(CLI::App& app, CheckOptions& options) {
  CLI::App* check = app.add_subcommand("check", "Check files against their schema");
  check->group("Commands");
  check->add_option("files", options.files, "JSON files of any kind, ONNX models")->required();
  check->add_flag("--json", options.json, "Print the verdicts as JSON instead")
      ->group("What to print");
  check->footer(check_help() + exit_codes());
}

std::string doctor_help() {
  return examples_text({
             {"cnnplan doctor", ""},
             {"cnnplan doctor --json", "for programs"},
         }) +
         section_text("DOCTOR",
                      "Says what was built in and what this machine has, what is missing, and the "
                      "command that brings it. cnnexec and cnnplan-profile are asked, too, for at "
                      "most 10 s each. The exit code is 5 if anything is missing. Advice does not "
                      "change it.");
}

void add_doctor(CLI::App& app, bool& as_json) {
  CLI::App* doctor =
      app.add_subcommand("doctor", "Say what this machine and this build have and lack");
  doctor->group("Commands");
  doctor->option_defaults()->group("Output");
  doctor->add_flag("--json", as_json, "Print a document of configs/schemas/doctor.schema.json");
  doctor->footer(doctor_help() + exit_codes());
}

// Returns a message that lists the commands, because CLI11 only says that one is missing. The
// message is empty if the first argument is an option or a known command.
std::string command_problem(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) return {};
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_name() == word) return {};
    names.push_back(command->get_name());
  }
  return (word.empty() ? "no command" : "unknown command '" + word + "'") + "; the commands are " +
         CLI::detail::join(names, ", ") + did_you_mean(word, names);
}

// Returns an exit code if the program ends here: after --help, --version or an error.
std::optional<ExitCode> parse(CLI::App& app, int argc, char** argv) {
  const std::string problem = command_problem(app, argc > 1 ? argv[1] : "");
  if (!problem.empty()) {
    print_error("cnnplan", problem);
    return ExitCode::usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? ExitCode::ok : ExitCode::usage;
  }
  return std::nullopt;
}

// Runs a command without output to stdout. Errors of solve are exceptions, which main prints, so
// that stderr has notes alone.
template <typename Command>
ExitCode silent(const Command& command, bool without_notes) {
  const Silence results(std::cout);
  std::optional<Silence> notes;
  if (without_notes) notes.emplace(std::cerr);
  return command();
}

void add_quiet(CLI::App& app, bool& quiet) {
  for (const char* command : {"solve", "compare", "simulate", "check"}) {
    CLI::Option* const option = app.get_subcommand(command)
                                    ->add_flag("-q,--quiet", quiet, "Print errors only")
                                    ->group("What to print")
                                    ->excludes("--json");
    if (app.get_subcommand(command)->get_option_no_throw("--format") != nullptr) {
      option->excludes("--format");
    }
  }
}

ExitCode run_solve(SolveOptions& options, bool quiet) {
  if (quiet && is_standard_output(options.output_file)) {
    throw Error(ExitCode::usage, "--output -: prints the plan, which --quiet leaves out");
  }
  if (options.rank_counts.size() == 1) options.ranks = options.rank_counts[0];
  return solve_command(options);
}

// Holds what the user asked of each command.
struct CommandOptions {
  SolveOptions solve;
  ImportCommandOptions imported;
  ExplainOptions explain;
  CompareOptions compare;
  ReportOptions report;
  SimulateOptions simulate;
  TraceCommandOptions trace;
  LaunchOptions launch;
  CheckOptions check;
  bool doctor_as_json = false;
  bool quiet = false;
};

// The options of `app` write into `options`.
void add_commands(CLI::App& app, CommandOptions& options) {
  app.add_subcommand("profile", "Time the kernels and links of this machine")->group("Commands");
  options.report.version = version_text("cnnplan");
  add_solve(app, options.solve, exit_codes());
  add_import(app, options.imported, exit_codes());
  add_explain(app, options.explain);
  add_compare(app, options.compare, exit_codes());
  add_report(app, options.report);
  add_simulate(app, options.simulate);
  add_trace(app, options.trace);
  add_launch(app, options.launch, exit_codes());
  add_check(app, options.check);
  add_quiet(app, options.quiet);
  add_doctor(app, options.doctor_as_json);
}

// Runs the command that was parsed.
ExitCode run_command(const CLI::App& app, CommandOptions& options) {
  if (app.got_subcommand("solve")) return run_solve(options.solve, options.quiet);
  if (app.got_subcommand("import")) return import_command(options.imported);
  if (app.got_subcommand("explain")) return explain_command(options.explain);
  if (app.got_subcommand("compare")) return compare_command(options.compare);
  if (app.got_subcommand("report")) return report_command(options.report);
  if (app.got_subcommand("simulate")) return simulate_command(options.simulate);
  if (app.got_subcommand("trace")) return trace_command(options.trace);
  if (app.got_subcommand("launch")) return launch_command(options.launch);
  if (app.got_subcommand("doctor")) {
    return doctor_command(options.doctor_as_json, version_text("cnnplan"));
  }
  return check_command(options.check);
}

ExitCode run(int argc, char** argv) {
  if (argc > 1 && std::string(argv[1]) == "profile") {
    profile_command(std::vector<std::string>(argv + 2, argv + argc));
  }
  CLI::App app("cnnplan: plan how to train a convolutional network on many ranks", "cnnplan");
  use_help_text(app);
  suggest_options(app);
  app.set_version_flag("--version", version_text("cnnplan"), "Print the version");
  app.require_subcommand(1);
  app.footer(overview() + exit_codes());
  CommandOptions options;
  add_commands(app, options);
  const int own = own_arguments(argc, argv, options.launch.words);
  if (const std::optional<ExitCode> code = parse(app, own, argv)) return *code;
  options.solve.words.assign(argv + std::min(argc, 2), argv + argc);
  const auto command = [&] { return run_command(app, options); };
  return options.quiet ? silent(command, app.got_subcommand("solve")) : command();
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  cnnplan::occupy_closed_streams();
  cnnplan::ExitCode code = cnnplan::ExitCode::internal;
  try {
    code = cnnplan::run(argc, argv);
  } catch (const cnnplan::Error& error) {
    cnnplan::print_error("cnnplan", error.what());
    code = error.exit_code();
  } catch (const std::bad_alloc&) {
    cnnplan::print_error("cnnplan", "memory ran out");
    code = cnnplan::ExitCode::infeasible;
  } catch (const std::exception& error) {
    cnnplan::print_error("cnnplan", std::string("internal error: ") + error.what());
  }
  return cnnplan::code_after_output("cnnplan", static_cast<int>(code));
}
