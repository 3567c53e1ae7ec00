// Trains a network as a plan says: data, steps, evaluation and files.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"
#include "executor/data/augmentation.hpp"
#include "executor/data/data_source.hpp"
#include "executor/step/graph_choice.hpp"
#include "executor/trace/trace_clock.hpp"
#include "planner/plan/plan.hpp"
#include "planner/run/run.hpp"
#include "planner/tensor/box.hpp"

namespace cnnplan {

// Replaces parts of a training, for checks and tests. Each function gets a part and returns the
// part that is used in its place. It may be empty.
struct TrainingHooks {
  std::function<std::unique_ptr<Backend>(std::unique_ptr<Backend> made)> backend;
  std::function<std::unique_ptr<DataSource>(std::unique_ptr<DataSource> opened)> data;
  ClockFace clock;  // of this rank's trace
};

// Holds what a user may choose for a training or an inference. Files and folders are paths.
struct TrainingOptions {
  std::string backend{default_backend()};
  bool deterministic = false;  // only kernels whose results repeat bit by bit
  std::int64_t most_workspace_bytes = BackendOptions{}.most_workspace_bytes;  // for a convolution
  int engine_trials = BackendOptions{}.engine_trials;  // ways that are timed for a convolution
  Graphs graphs = Graphs::automatic;                   // for devices that have graphs
  bool nccl = false;                                   // reductions by the library use NCCL
  std::string data_file;                               // empty: synthetic
  std::string test_file;      // evaluated at the end and, with `epochs`, after each; empty: none
  Augmentation augmentation;  // for training data; test data and inference use the centred window
  std::string weights_file;   // for a start without a checkpoint; empty: from the seed
  // Receives parameters, running values, and the gradients, the output and the loss of the last
  // step. If it is empty, nothing is written.
  std::string dump_file;
  std::string checkpoint_folder;  // receives the state; empty: nothing is saved
  // A checkpoint is written after every period of this many steps. With 0, it is written after
  // every epoch if the training counts in `epochs`. One is always written at the end.
  std::int64_t checkpoint_period = 0;
  // Training continues from the checkpoint in this folder. It starts anew if this is empty, or if
  // this is the checkpoint folder and holds no checkpoint.
  std::string restart_folder;
  std::int64_t steps = 20;  // from the very beginning
  std::int64_t warmup = 2;  // first steps; their times count only if there are no others
  std::int64_t epochs = 0;  // above 0: number of passes of the data, instead of `steps`
  double learning_rate = 0.001;
  double momentum = 0.9;
  double weight_decay = 1e-4;
  double loss_scale = 0.0;  // 0: as in the checkpoint, else 1024 for fp16, else 1
  std::uint64_t seed = 1;
  // Each step checks its loss and its gradients before it updates parameters.
  bool checks_finite = true;
  // After every period of this many steps, ranks that hold the same parameters compare them. With 0
  // they never do.
  std::int64_t compare_period = 50;
  // The gradient under multigrid is compared with the gradient of the layers in order, before the
  // first step and then after every period of this many steps. With 0 it is compared only before
  // the first step, and without a period never.
  std::optional<std::int64_t> gradient_check_period;
  // If a check finds a larger relative error, cycles are raised until the error is within the
  // limit, or the layers run in order. Without a limit, no error raises cycles.
  std::optional<double> gradient_limit;
  // Cycles are also raised if the residual after the last cycle is larger than this factor times
  // the residual before the first coarse correction, forward or backward. With a warm start, the
  // latter is taken from the first check.
  std::optional<double> residual_limit;
  // These steps, at least one, record when operations begin and end. Steps count from 0.
  std::optional<Range> traced_steps;
  TrainingHooks hooks = {};  // for checks and tests
};

// Says how far a training or an inference is.
struct Progress {
  std::int64_t step = 0;       // steps that are done
  std::int64_t steps = 0;      // in all
  std::optional<double> loss;  // of the last step; none: nothing is trained
  double step_s = 0.0;         // time of the last step
};

// Holds the result of one pass over the test data.
struct Evaluation {
  std::int64_t epoch = 0;   // epochs that are over; 0: the training does not count in epochs
  std::int64_t epochs = 0;  // in all
  double result = 0.0;      // an accuracy in [0, 1], or the loss if the network has targets
  bool is_loss = false;
};

// Names the place and the device that a rank runs on.
struct RankPlace {
  std::string host;
  std::string place;   // "GPU 1 (0000:3b:00.0)", "CPU"
  std::string device;  // "NVIDIA H200"
};

// Rank 0 calls these functions while the training runs, and every rank calls `progress` with its
// own step time. In an inference, rank 0 alone calls `progress`, with the time of the slowest rank.
// Each function may be empty.
struct TrainingCallbacks {
  std::function<void(const std::vector<RankPlace>& ranks)> placed;  // before the first step
  std::function<void(const std::string& text)> note;       // a sentence that a user should read
  std::function<void(const Progress& progress)> progress;  // after every step
  std::function<void(const Evaluation& evaluation)> evaluated;  // after every pass over test data
  std::function<void(const GradientCheck& check)> checked;      // errors may be NaN
  std::function<void(std::int64_t step)> saved;                 // a checkpoint after `step` steps
};

// Trains from the first step, or from a checkpoint, to the end. The times of steps and operations
// in the report are filled on rank 0 only. This call is collective and blocks.
// @throws EnvironmentError when the plan is for another number of ranks or the backend is missing
// or does not run the plan's precision, before anything is allocated
// @throws InfeasibleError when the plan needs more memory than the machine has; OutOfMemoryError
// when the system does not give it
// @throws InputError, IoError for data and weight files and checkpoints
// @throws BackendError, DeviceLostError when the kernel library or the device fails
// @throws NotFiniteError when the loss, a gradient, a weight or a test result is not finite
// @throws PreemptedError when SIGTERM or SIGUSR1 came to a rank and the state was saved
// @throws Error (wrong_result) when ranks hold different values of one parameter
// @throws Error (usage) for traced steps that are not trained; InfeasibleError for too many
RunReport train(const Plan& plan,
                const TrainingOptions& options,
                const Communicator& world,
                const TrainingCallbacks& callbacks);

}  // namespace cnnplan
