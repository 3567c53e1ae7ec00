// What trainings and inferences do before their first step.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "executor/training/parameter_store.hpp"
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

// Where each rank runs. Collective.
void tell_places(const Device& device,
                 const Communicator& world,
                 const TrainingCallbacks& callbacks);

}  // namespace cnnplan
