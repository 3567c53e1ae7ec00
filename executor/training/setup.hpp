// What trainings and inferences do before their first step.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "executor/data/hdf5_data.hpp"
#include "executor/step/parameter_store.hpp"
#include "executor/training/trainer.hpp"

namespace cnnplan {

// @throws EnvironmentError unless the plan is for as many ranks. Not collective.
void check_ranks(const Plan& plan, const Communicator& world);

// @throws EnvironmentError where it is missing or does not do what the plan asks: its precision, or
// overlap. Collective.
std::unique_ptr<Backend> backend_for(const Plan& plan,
                                     const TrainingOptions& options,
                                     const Communicator& world);

// Names of implementations hold for the library that was profiled: without those of others, which
// `note`, unless it is empty, is told.
Plan without_foreign_names(const Plan& plan,
                           const DeviceFingerprint& fingerprint,
                           const std::function<void(const std::string& text)>& note);

// Those of the file of weights, else of the seed. Not collective.
// @throws IoError; InputError naming the dataset
void set_first_weights(ParameterStore& parameters,
                       const Network& network,
                       const TrainingOptions& options);

// Of this rank's samples in a mini-batch.
std::int64_t sample_bytes(const Schedule& schedule);

// Threads that may read ahead on a rank: its share of the cores of its node on which no rank
// computes, and as many as keep what they read small. 0 where all cores compute: there, reading
// between steps is faster than reading against them. Collective.
int prefetch_threads(const Schedule& schedule, const Communicator& world, const Device& device);

// A file in its own order, pass after pass, perhaps read ahead. Collective, as Hdf5Data.
// @throws IoError, InputError
std::unique_ptr<DataSource> open_in_order(const std::string& file,
                                          const BatchShape& batch,
                                          const Communicator& world,
                                          Labels labels,
                                          const Augmentation& augmentation,
                                          int threads);

// What to do where kernels run on the host and so many lanes outnumber the cores that this rank is
// bound to; nothing elsewhere.
std::optional<std::string> few_cores(int lanes, const Device& device);
void tell_few_cores(const Schedule& schedule,
                    const Device& device,
                    const std::function<void(const std::string& text)>& note);

// Where each rank runs. Collective.
void tell_places(const Device& device,
                 const Communicator& world,
                 const TrainingCallbacks& callbacks);

}  // namespace cnnplan
