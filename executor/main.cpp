// cnnexec trains, infers or verifies with a plan, as its options say.
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "executor/agreement/equal_facts.hpp"
#include "executor/agreement/file_facts.hpp"
#include "executor/cli.hpp"
#include "executor/comm/program.hpp"
#include "executor/comm/terminal.hpp"
#include "executor/doctor/device_findings.hpp"
#include "executor/doctor/doctor_answer.hpp"
#include "executor/output.hpp"
#include "executor/training/inference.hpp"
#include "executor/training/memory_shortage.hpp"
#include "executor/training/run_origin.hpp"
#include "executor/training/trainer.hpp"
#include "executor/verify/verification.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/message.hpp"
#include "planner/base/output_file.hpp"
#include "planner/base/standard_stream.hpp"
#include "planner/base/writable_file.hpp"
#include "planner/cli/standard_streams.hpp"
#include "planner/cli/version_text.hpp"
#include "planner/plan/normalised_values.hpp"
#include "planner/plan/planned_layers.hpp"

namespace cnnplan {
namespace {

// Checks outputs before the work, so that a long training does not lose its result. Returns the
// run file, if the program writes one.
std::unique_ptr<OutputFile> checked_outputs(const Options& options) {
  if (!options.verify.empty()) return nullptr;
  const TrainingOptions& training = options.training;
  for (const std::string& output : {options.inferred_file, options.run_file, training.dump_file}) {
    for (const std::string& input : {options.plan_file, training.data_file, training.test_file}) {
      require_other_file(output, input);
    }
  }
  require_other_file(options.inferred_file, training.weights_file);
  if (!options.inferred_file.empty()) {
    require_replaceable_file(options.inferred_file);
    return nullptr;
  }
  if (!training.dump_file.empty()) require_replaceable_file(training.dump_file);
  return std::make_unique<OutputFile>(options.run_file);
}

void require_multigrid(const Plan& plan, const Options& options) {
  if (!options.training.gradient_check_period || !plan.multigrid.empty()) return;
  throw Error(
      ExitCode::usage,
      "--check-gradient: nothing to check, " + options.plan_file + " runs no chain by multigrid");
}

// Nothing else may stand on stdout if the run file does.
bool prints_results(const Options& options) {
  return !options.quiet && !is_standard_output(options.run_file);
}

bool shows_progress(const Options& options, const Communicator& world) {
  return world.rank() == 0 && !options.quiet && stderr_is_terminal();
}

TrainingCallbacks callbacks_of(const Plan& plan, const Options& options, ProgressLine& line) {
  if (options.quiet) return {};
  return {.placed =
              [&](const std::vector<RankPlace>& ranks) {
                tell_other_device(plan, ranks);
                if (options.verbose) print_places(ranks);
              },
          .note =
              [&line](const std::string& text) {
                line.end();
                tell(text);
              },
          .progress = [&line](const Progress& progress) { line(progress); },
          .evaluated =
              [&line](const Evaluation& evaluation) {
                line.end();
                print_evaluation(evaluation);
              },
          .checked =
              [&line](const GradientCheck& check) {
                line.end();
                print_check(check);
              },
          .saved =
              [&line, &options](std::int64_t step) {
                line.end();
                print_saved(step, options.training.checkpoint_folder);
              }};
}

void verify(const Plan& plan, const Options& options, const Communicator& world) {
  const Verification found = cnnplan::verify(plan, options.training, world, {.note = tell});
  on_first_rank(world, [&] {
    print_verification(found);
    std::fflush(stdout);  // before the error message, if one follows
    if (found.verdict() == Verdict::equal) return;
    if (found.verdict() == Verdict::different) {
      throw Error(ExitCode::wrong_result, "the plan does not compute what one rank does");
    }
    if (!found.infinite_tensor().empty()) {
      throw Error(ExitCode::too_sensitive,
                  found.infinite_tensor() +
                      " of the step on one rank is not finite, so there is little to compare with; "
                      "verify with other weights or data");
    }
    throw Error(ExitCode::too_sensitive,
                "rounding hides whether the plan computes what one rank does; solve with "
                "--precision fp64 and verify that plan");
  });
}

void infer(const Plan& plan, const Options& options, const Communicator& world) {
  InferenceReport report;
  {
    ProgressLine line(shows_progress(options, world));
    const TrainingCallbacks callbacks = callbacks_of(plan, options, line);
    report = cnnplan::infer(plan, options.training, options.inferred_file, world, callbacks);
  }
  if (world.rank() == 0 && !options.quiet) print_summary(report, options.inferred_file);
}

// Only rank 0 has the run file.
void train(const Plan& plan,
           const InputFile& plan_file,
           const Options& options,
           const Communicator& world,
           OutputFile* run_file) {
  const auto origin = run_origin(options.command, built_commit());
  RunReport run;
  {
    ProgressLine line(shows_progress(options, world));
    TrainingCallbacks callbacks = callbacks_of(plan, options, line);
    if (!options.quiet) {
      callbacks.placed = [&](const std::vector<RankPlace>& ranks) {
        tell_other_device(plan, ranks);
        if (prints_results(options)) print_plan(plan, options.plan_file);
        if (options.verbose) print_places(ranks);
      };
    }
    run = cnnplan::train(plan, options.training, world, callbacks);
  }
  if (world.rank() != 0) return;
  run.inputs = {plan_file};
  run.environment.insert(origin.begin(), origin.end());
  run_file->write(to_json(run));
  if (prints_results(options)) {
    print_summary(run, plan, {.plan = options.plan_file, .run = options.run_file});
  }
}

// Compares what the ranks were started with, before anything is collective that depends on it. The
// plan is not compared, because rank 0 reads it for all ranks.
void require_equal_start(const Options& options, const Communicator& world) {
  std::vector<Fact> facts = program_facts();
  const auto add = [&facts](const std::vector<Fact>& more) {
    facts.insert(facts.end(), more.begin(), more.end());
  };
  add(options.equal);
  add(file_facts("--weights", options.training.weights_file));
  add(sample_facts("--data", options.training.data_file));
  add(sample_facts("--test", options.training.test_file));
  require_equal_facts(facts, world);
}

void execute(const Options& options, const Communicator& world) {
  require_equal_start(options, world);
  on_first_rank(world, [&] { require_plan_file(options.plan_file); });
  const std::string text = read_shared_file(world, options.plan_file);
  std::unique_ptr<OutputFile> run_file;
  on_first_rank(world, [&] { run_file = checked_outputs(options); });
  const Plan plan = parse_plan(text, options.plan_file);
  require_kernels(plan.network, options.plan_file, "/network");
  require_multigrid(plan, options);
  const std::string why = options.chose_backend ? "" : why_no_gpu();
  if (world.rank() == 0 && !why.empty() && !options.quiet) tell(why);
  if (options.inferred_file.empty()) require_trainable(plan, options.plan_file);
  tell_shortage(plan, [&] {
    if (!options.verify.empty()) return verify(plan, options, world);
    if (!options.inferred_file.empty()) return infer(plan, options, world);
    train(plan, input_file(options.plan_file, text), options, world, run_file.get());
  });
}

int run(int argc, char** argv) {
  Options options;
  if (const auto exit_code = parse_command_line(argc, argv, options)) return *exit_code;
  if (options.doctor) return answer_with(device_findings());
  return run_program("cnnexec", options.comm_timeout_s, argc, argv, [&](const Communicator& world) {
    execute(options, world);
  });
}

}  // namespace
}  // namespace cnnplan

int main(int argc, char** argv) {
  cnnplan::occupy_closed_streams();
  try {
    return cnnplan::code_after_output("cnnexec", cnnplan::run(argc, argv));
  } catch (const std::exception& error) {
    cnnplan::print_error(
        "cnnexec", std::string("internal error: ") + error.what(), cnnplan::message_style());
    return static_cast<int>(cnnplan::ExitCode::internal);
  }
}
