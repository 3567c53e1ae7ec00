// Declares what trainings and inferences do before their first step.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "executor/data/hdf5_data.hpp"
#include "executor/step/parameter_store.hpp"
#include "executor/training/trainer.hpp"

namespace cnnplan {

// Checks that the plan is for as many ranks as `world` has. It is not collective.
// @throws EnvironmentError unless it is
void check_ranks(const Plan& plan, const Communicator& world);

// Makes the backend that the options name. It is collective.
// @throws EnvironmentError if the backend is missing, or lacks the plan's precision or overlap; on
// all ranks, if their kernel libraries differ; other errors as make_backend()
std::unique_ptr<Backend> backend_for(const Plan& plan,
                                     const TrainingOptions& options,
                                     const Communicator& world);

// Returns the plan as it is, or without its names of implementations if they come from another
// library than the one in `fingerprint`, which is the backend's. In the latter case, `note` gets a
// sentence, unless `note` is empty.
Plan without_foreign_names(const Plan& plan,
                           const DeviceFingerprint& fingerprint,
                           const std::function<void(const std::string& text)>& note);

// Takes the first weights from the file of weights, or without a file from the seed. It is
// collective. A rank that cannot use the file throws IoError, or InputError naming the dataset. The
// other ranks throw an Error with the exit code of the lowest such rank.
void set_first_weights(ParameterStore& parameters,
                       const Network& network,
                       const TrainingOptions& options,
                       const Communicator& world);

// Returns the bytes of this rank's samples in a mini-batch.
std::int64_t sample_bytes(const Schedule& schedule);

// Returns how many threads may read ahead on this rank: its share of the node's cores on which no
// rank computes. There are at most 8, and at most one for each batch of its samples that 2 GiB
// hold. If there is such a core at all, one thread may read. The result is 0 if all cores compute,
// since reading would slow the steps down. It is collective.
int prefetch_threads(const Schedule& schedule, const Communicator& world, const Device& device);

// Opens a data file whose samples are read in the order of the file, pass after pass. If `threads`
// is above 0, at most this number of threads reads ahead. It is collective.
// @throws IoError, InputError
std::unique_ptr<DataSource> open_in_order(const std::string& file,
                                          const BatchShape& batch,
                                          const Communicator& world,
                                          Labels labels,
                                          const Augmentation& augmentation,
                                          int threads);

// Returns take_turns() of the ranks, and says so on rank 0. It is collective.
bool tell_turns(const Device& device,
                const Communicator& world,
                const TrainingCallbacks& callbacks);

// Gathers where each rank runs, and tells rank 0's callback. It is collective.
void tell_places(const Device& device,
                 const Communicator& world,
                 const TrainingCallbacks& callbacks);

// Gathers the nodes of all ranks. If ranks that the plan was priced with on one node are on
// different nodes, rank 0 passes a sentence to `note`, unless `note` is empty. It is collective.
void tell_apart(const Plan& plan,
                const Communicator& world,
                const std::function<void(const std::string& text)>& note);

}  // namespace cnnplan
