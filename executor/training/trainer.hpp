// Trains a plan: data, steps, evaluation, files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "executor/backend/backend.hpp"
#include "executor/comm/communicator.hpp"
#include "executor/training/augmentation.hpp"
#include "executor/training/graph_choice.hpp"
#include "planner/model/plan.hpp"
#include "planner/model/run.hpp"

namespace cnnplan {

struct TrainingOptions {
  std::string backend{default_backend()};
  bool deterministic = false;  // only kernels that give the same bits every time
  std::int64_t most_workspace_bytes = BackendOptions{}.most_workspace_bytes;  // of a convolution
  Graphs graphs = Graphs::automatic;  // where the device has them
  bool nccl = false;                  // reductions by the library are NCCL's
  std::string data_file;              // empty: synthetic
  std::string test_file;              // evaluated after every epoch and at the end; empty: none
  Augmentation augmentation;          // of data; of test data and inference, the centred window
  std::string weights_file;           // where no checkpoint is; empty: from the seed
  std::string dump_file;              // empty: none
  std::string checkpoint_folder;      // state is saved there; empty: nowhere
  // Steps from one checkpoint to the next; 0: after every epoch. Always at the end.
  std::int64_t checkpoint_period = 0;
  // Where the state comes from; empty: from the beginning. Where this is the checkpoint folder,
  // too, and has no checkpoint: likewise.
  std::string restart_folder;
  std::int64_t steps = 20;  // from the very beginning
  std::int64_t warmup = 2;  // of these, not counted in the times unless there are no others
  std::int64_t epochs = 0;  // above 0: that many passes of the data instead of `steps`
  double learning_rate = 0.001;
  double momentum = 0.9;
  double weight_decay = 1e-4;
  double loss_scale = 0.0;  // 0: that of the checkpoint, else 1024 for fp16, whose small numbers
                            // vanish, 1 for all others
  std::uint64_t seed = 1;
  // Before every that many steps, and before the first, the gradient under multigrid is compared
  // with that of the layers in order; 0: before the first only.
  std::optional<std::int64_t> gradient_check_period;
  // Where a check finds a larger relative error, the cycles are raised until it does not.
  std::optional<double> gradient_limit;
  // Likewise where the residual after the last cycle is larger than this times that before the
  // first coarse correction, forward or backward.
  std::optional<double> residual_limit;
};

struct Progress {
  std::int64_t step = 0;  // done
  std::int64_t steps = 0;
  std::optional<double> loss;  // none: nothing is trained
  double step_s = 0.0;
};

// What a pass of the test data found.
struct Evaluation {
  std::int64_t epoch = 0;  // over by then; 0: the training does not count in epochs
  std::int64_t epochs = 0;
  double result = 0.0;  // an accuracy in [0, 1], or the loss where the network has targets
  bool is_loss = false;
};

// Where a rank runs.
struct RankPlace {
  std::string host;
  std::string place;   // "GPU 1 (0000:3b:00.0)", "CPU"
  std::string device;  // "NVIDIA H200"
};

// What happens on the way, told on rank 0. All may be empty.
struct TrainingCallbacks {
  std::function<void(const std::vector<RankPlace>& ranks)> placed;  // before the first step
  std::function<void(const std::string& text)> note;                // what a user should know
  std::function<void(const Progress& progress)> progress;           // after every step
  std::function<void(const Evaluation& evaluation)> evaluated;      // after every epoch
  std::function<void(const GradientCheck& check)> checked;          // NaN where not finite
  std::function<void(std::int64_t step)> saved;                     // after so many steps
};

// Operations are filled on rank 0 only. Collective.
// @throws EnvironmentError when the plan is for another number of ranks or the backend is missing
// or does not run the plan's precision, before anything is allocated
// @throws InfeasibleError when the plan needs more memory than the machine has
// @throws InputError, IoError of data and weight files and checkpoints; NotFiniteError when the
// loss or a gradient that is checked is; PreemptedError after SIGTERM or SIGUSR1 came to a rank and
// the state was saved
RunReport train(const Plan& plan,
                const TrainingOptions& options,
                const Communicator& world,
                const TrainingCallbacks& callbacks);

}  // namespace cnnplan
