// Gives a lane another workspace for the time of a trial.
#pragma once

#include <utility>

#include "executor/backend/cudnn/library.hpp"

namespace cnnplan::cudnn {

// Engines that are only tried may need larger workspaces than the chosen one. While this object
// lives, the selected lane has a workspace of its own, whose memory is then given back.
// @pre while it lives, no other lane is selected; when it ends, the work of the trial is done
class TrialWorkspace {
 public:
  explicit TrialWorkspace(Library& library) : library_(library), others_(library.device()) {
    std::swap(others_, library_.workspace());
  }
  ~TrialWorkspace() { std::swap(others_, library_.workspace()); }
  TrialWorkspace(const TrialWorkspace&) = delete;
  TrialWorkspace& operator=(const TrialWorkspace&) = delete;

 private:
  Library& library_;
  Workspace others_;
};

}  // namespace cnnplan::cudnn
