// Formats the lines and tables that cnnexec prints.
#include "executor/output.hpp"

#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <iomanip>
#include <set>
#include <sstream>

#include "executor/comm/terminal.hpp"
#include "planner/base/bytes_text.hpp"
#include "planner/base/message.hpp"
#include "planner/base/wrapped_text.hpp"
#include "planner/platform/same_device.hpp"
#include "planner/summary/summary_text.hpp"

namespace cnnplan {

void ProgressLine::end() {
  if (shown_ && drawn_) std::fputc('\n', stderr);
  drawn_ = false;
}

void ProgressLine::operator()(const Progress& progress) {
  if (!shown_) return;
  drawn_ = true;
  const long left_s =
      std::lround(static_cast<double>(progress.steps - progress.step) * progress.step_s);
  std::fprintf(stderr, "\rstep %" PRId64 "/%" PRId64 "  ", progress.step, progress.steps);
  if (progress.loss) std::fprintf(stderr, "loss %.4f  ", *progress.loss);
  std::fprintf(stderr, "%.3f s/step  left %ld:%02ld   ", progress.step_s, left_s / 60, left_s % 60);
}

void print_plan(const Plan& plan, const std::string& file) {
  std::printf("%s\n", to_text(summary_of(plan, file)).c_str());
  std::fflush(stdout);  // before the first step, which may take long
}

namespace {

// Ranks that took turns on a GPU measured no speed.
std::string step_text(const Measured& step, bool in_turns) {
  if (in_turns) return "no times, because ranks took turns on a GPU";
  char text[128];
  std::snprintf(text,
                sizeof(text),
                "step %.4f s (min %.4f, max %.4f, %d steps)",
                step.median_s,
                step.min_s,
                step.max_s,
                step.count);
  return text;
}

// Compares step and rate with those that the plan predicts, and says why they differ.
std::string speed_text(const RunReport& run, const Plan& plan, const ComparedFiles& files) {
  const std::string speed = measured_text(summary_of(plan), run.step.median_s);
  const std::string reason = likely_reason(plan, run, files).text;
  return indented(speed, 0, usual_columns) +
         (reason.empty() ? "" : indented("Likely reason: " + reason + '.', 0, usual_columns));
}

}  // namespace

void print_summary(const RunReport& run, const Plan& plan, const ComparedFiles& files) {
  std::printf("%s, batch %" PRId64 ", %s: %s, loss %.6f",
              run.network.c_str(),
              run.batch,
              counted(run.ranks, "rank").c_str(),
              step_text(run.step, run.in_turns).c_str(),
              run.loss.empty() ? 0.0 : run.loss.back());
  if (!run.test_accuracy.empty()) {
    std::printf(", test accuracy %.2f %%", 100.0 * run.test_accuracy.back());
  }
  if (!run.test_loss.empty()) std::printf(", test loss %.6g", run.test_loss.back());
  std::printf("\n");
  if (run.step.median_s > 0.0 && !run.in_turns) {
    std::printf("%s", speed_text(run, plan, files).c_str());
  }
  std::printf("wrote %s\n", files.run.c_str());
  if (run.trace) {
    const std::int64_t first = run.trace->first_step;
    const std::int64_t end = first + std::ssize(run.trace->ranks.front().steps);
    std::printf("traced steps %" PRId64 " to %" PRId64 "; cnnplan trace %s shows them\n",
                first,
                end - 1,
                shell_word(files.run).c_str());
  }
}

namespace {

void print_line(const std::string& text) {
  print_note(text, message_style());
}

}  // namespace

void tell(const std::string& text) {
  print_line("cnnexec: note: " + text);
}

void tell_other_device(const Plan& plan, const std::vector<RankPlace>& ranks) {
  std::set<std::string> devices;
  for (const RankPlace& rank : ranks) devices.insert(rank.device);
  for (const std::string& device : devices) {
    const std::string model =
        other_model({.fingerprint = plan.device, .inputs = plan.inputs}, device);
    if (model.empty()) continue;
    tell("planned for " + model + ", runs on " + model_of(device) +
         ": predicted times do not apply");
    return;
  }
}

void print_evaluation(const Evaluation& evaluation) {
  if (evaluation.epochs == 0) return;  // the summary says it
  std::ostringstream line;
  line << "epoch " << evaluation.epoch << '/' << evaluation.epochs << ": test ";
  if (evaluation.is_loss) {
    line << "loss " << std::setprecision(6) << evaluation.result;
  } else {
    line << "accuracy " << std::fixed << std::setprecision(2) << 100.0 * evaluation.result << " %";
  }
  print_line(line.str());
}

void print_check(const GradientCheck& check) {
  std::ostringstream lines;
  lines << "step " << check.step << ": gradient cosine " << std::fixed << std::setprecision(5)
        << check.cosine << ", relative error " << std::defaultfloat << std::setprecision(2)
        << check.relative_error << " with " << counted(check.cycles, "cycle")
        << "\n  residual after 0, 1, ... cycles: forward" << std::scientific
        << std::setprecision(1);
  for (double norm : check.forward_residuals) lines << ' ' << norm;
  lines << ", backward";
  for (double norm : check.backward_residuals) lines << ' ' << norm;
  print_line(lines.str());
}

void print_saved(std::int64_t step, const std::string& folder) {
  print_line("step " + std::to_string(step) + ": state saved in " + folder);
}

void print_places(const std::vector<RankPlace>& ranks) {
  std::fprintf(stderr, "%6s  %-24s  %-24s  %s\n", "rank", "host", "place", "device");
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::fprintf(stderr,
                 "%6zu  %-24s  %-24s  %s\n",
                 rank,
                 ranks[rank].host.c_str(),
                 ranks[rank].place.c_str(),
                 ranks[rank].device.c_str());
  }
}

void print_summary(const InferenceReport& report, const std::string& file) {
  std::printf("%s of %s: ", report.tensor.c_str(), counted(report.samples, "sample").c_str());
  if (report.in_turns) {
    std::printf("no times, because ranks took turns on a GPU");
  } else {
    std::printf("mini-batch %.4f s (min %.4f, max %.4f, %d steps)",
                report.step.median_s,
                report.step.min_s,
                report.step.max_s,
                report.step.count);
    if (report.predicted_s > 0.0) std::printf(", predicted %.4f s", report.predicted_s);
  }
  std::printf("\nwrote %s\n", file.c_str());
}

namespace {

const char* sentence(Verdict verdict) {
  switch (verdict) {
    case Verdict::equal:
      return "equal: the plan computes what one rank computes in double, up to rounding";
    case Verdict::different:
      return "DIFFERENT: the plan does not compute what one rank computes in double";
    case Verdict::too_sensitive:
      break;
  }
  return "too sensitive to tell in this precision (use fp64)";
}

void print_tensors(const std::vector<TensorComparison>& tensors) {
  constexpr std::size_t most = 3;
  std::printf("%-40s  %-9s  %-9s  %-9s  %s\n", "tensor", "error", "limit", "L2 error", "L2 limit");
  for (std::size_t i = 0; i < std::min(most, tensors.size()); ++i) {
    const TensorComparison& tensor = tensors[i];
    std::printf("%-40s  %-9.2e  %-9.2e  %-9.2e  %.2e\n",
                tensor.name.c_str(),
                tensor.error,
                tensor.limit,
                tensor.norm_error,
                tensor.norm_limit);
  }
  std::printf("%zu tensors of one step, all elements; worst error %.2g times its limit\n",
              tensors.size(),
              tensors.empty() ? 0.0 : tensors.front().excess());
}

void print_kernels(const KernelChecks& kernels) {
  std::printf("kernels: %.3g %% of %.0f results checked; worst error %.2g times its limit",
              kernels.results > 0.0 ? 100.0 * kernels.checked / kernels.results : 100.0,
              kernels.results,
              kernels.worst.excess);
  if (kernels.worst.excess > 0.0) {
    std::printf(", in %s of rank %d", kernels.worst.operation.c_str(), kernels.rank);
  }
  std::printf("\n");
}

}  // namespace

void print_verification(const Verification& verification) {
  constexpr double mib = 1048576.0;
  std::printf("%s\n", sentence(verification.verdict()));
  print_tensors(verification.tensors);
  if (!verification.blunt.empty()) {
    std::printf("rounding alone changes %s by more than half its size\n",
                verification.blunt.c_str());
  }
  if (const std::string infinite = verification.infinite_tensor(); !infinite.empty()) {
    std::printf("the step on one rank is not finite: %s is infinite or NaN\n", infinite.c_str());
  }
  print_kernels(verification.kernels);
  std::printf("one rank ran 4 steps in double: %.1f s, %.0f MiB\n",
              verification.seconds,
              static_cast<double>(verification.memory_bytes) / mib);
}

}  // namespace cnnplan
