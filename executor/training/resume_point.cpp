// Compares the options of a training with the checkpoint from which it continues.
#include "executor/training/resume_point.hpp"

#include <filesystem>
#include <sstream>
#include <utility>

#include "executor/checkpoint/checkpoint_folder.hpp"
#include "executor/checkpoint/checkpoint_reader.hpp"
#include "executor/training/raise_cycles.hpp"
#include "executor/training/training_context.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"

namespace cnnplan {
namespace {

// Returns equal paths for "state", "state/" and "./state".
std::filesystem::path place_of(const std::string& folder) {
  return std::filesystem::absolute(checkpoint_file(folder)).lexically_normal();
}

bool saves_where_it_restarts(const TrainingOptions& options) {
  return !options.checkpoint_folder.empty() &&
         place_of(options.restart_folder) == place_of(options.checkpoint_folder);
}

// A folder that is also written to need not have a checkpoint, so that one command both starts a
// training and continues it.
std::optional<Checkpoint> wanted_checkpoint(const TrainingOptions& options,
                                            const Communicator& world) {
  if (options.restart_folder.empty()) return std::nullopt;
  return saves_where_it_restarts(options) ? find_checkpoint(options.restart_folder, world)
                                          : read_checkpoint(options.restart_folder, world);
}

void refuse_to_replace(const Checkpoint& other, const std::string& folder) {
  throw InputError({.file = checkpoint_file(folder),
                    .pointer = "/step",
                    .value = std::to_string(other.step),
                    .allowed = "no checkpoint in a folder to save in, but --restart " + folder +
                               " goes on with this one"});
}

std::string change_text(const char* what, double before, double now) {
  std::ostringstream text;
  text << what << ' ' << now << ", before " << before;
  return text.str();
}

std::string augmentation_text(const std::optional<std::int64_t>& crop, bool mirror) {
  if (!crop && !mirror) return "no option";
  return (crop ? "--crop=" + std::to_string(*crop) : "") + (crop && mirror ? " " : "") +
         (mirror ? "--mirror" : "");
}

std::string blocks_text(int blocks) {
  return blocks == 1 ? "as the kernels add" : "of " + std::to_string(blocks) + " blocks";
}

}  // namespace

ResumePoint find_resume_point(const Plan& plan,
                              const TrainingOptions& options,
                              const Communicator& world) {
  if (options.checkpoint_folder.empty() && options.restart_folder.empty()) return {};
  ResumePoint resume{.checkpoint = wanted_checkpoint(options, world),
                     .plan_sha256 = sha256(to_json(plan))};
  if (!resume.checkpoint) return resume;
  resume.same_plan = resume.checkpoint->plan_sha256 == resume.plan_sha256;
  require_same_training(*resume.checkpoint,
                        checkpoint_file(options.restart_folder),
                        {.network = plan.network, .batch = plan.batch, .seed = options.seed});
  return resume;
}

Plan plan_from(const ResumePoint& resume, const Plan& plan) {
  return resume.checkpoint ? with_raised_cycles(plan, resume.checkpoint->raised_cycles) : plan;
}

TrainingOptions options_from(const ResumePoint& resume, const TrainingOptions& options) {
  TrainingOptions same = options;
  const bool is_given = options.loss_scale > 0.0;
  if (resume.same_plan && !is_given) same.loss_scale = resume.checkpoint->loss_scale;
  return same;
}

void check_resume_point(const ResumePoint& resume,
                        const TrainingOptions& options,
                        const DataSource& data,
                        const Communicator& world) {
  if (!resume.checkpoint) return;
  require_same_data(
      *resume.checkpoint,
      checkpoint_file(options.restart_folder),
      {.samples = data.sample_count(), .steps = step_count(options, data.step_count())});
  check_parts(options.restart_folder, *resume.checkpoint, world);
}

std::optional<CheckpointWriter> open_checkpoints(const ResumePoint& resume,
                                                 const TrainingOptions& options,
                                                 const Communicator& world) {
  const std::string& folder = options.checkpoint_folder;
  if (folder.empty()) return std::nullopt;
  const bool goes_on = resume.checkpoint && saves_where_it_restarts(options);
  const auto other = goes_on ? std::nullopt : find_checkpoint(folder, world);
  if (other) refuse_to_replace(*other, folder);
  const std::int64_t generation = goes_on ? resume.checkpoint->generation : 0;
  return std::optional<CheckpointWriter>(std::in_place, folder, generation, world);
}

void tell_changes(const ResumePoint& resume,
                  const Plan& plan,
                  const TrainingOptions& options,
                  const DataSource& data,
                  const std::function<void(const std::string&)>& note) {
  if (!resume.checkpoint || !note) return;
  const Checkpoint& before = *resume.checkpoint;
  const std::string from = "from step " + std::to_string(before.step) + " on, ";
  const auto compare = [&](const char* what, double then, double now) {
    if (then != now) note(from + change_text(what, then, now));
  };
  compare("--learning-rate", before.learning_rate, options.learning_rate);
  compare("--momentum", before.momentum, options.momentum);
  compare("--weight-decay", before.weight_decay, options.weight_decay);
  if (before.crop != crop_of(options.augmentation) ||
      before.mirror != options.augmentation.mirrors) {
    note(from + "samples are cropped and mirrored as " +
         augmentation_text(crop_of(options.augmentation), options.augmentation.mirrors) +
         " says, not as " + augmentation_text(before.crop, before.mirror));
  }
  if (before.sample_blocks != plan.sample_blocks) {
    note(from + "sums over samples are " + blocks_text(plan.sample_blocks) + ", before " +
         blocks_text(before.sample_blocks) + ": from there on, bits are others");
  }
  if (has_warm_start(plan)) {
    note(from +
         "chains begin with zeros, as in a first step: checkpoints do not have their states");
  }
  if (before.step < step_count(options, data.step_count())) return;
  note("all " + std::to_string(before.step) +
       " steps are done: nothing is timed, and --dump has no gradients, outputs and loss");
}

}  // namespace cnnplan
