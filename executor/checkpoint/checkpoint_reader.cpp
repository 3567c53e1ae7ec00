// Compares a checkpoint with the plan, the data and the files of its parts before it is used.
#include "executor/checkpoint/checkpoint_reader.hpp"

#include <algorithm>

#include "executor/checkpoint/checkpoint_folder.hpp"
#include "executor/comm/program.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/base/readable_file.hpp"
#include "planner/run/checkpoint_parts.hpp"

namespace cnnplan {
namespace {

std::string described(const Network& network, LayerIndex layer) {
  if (layer >= network.layer_count()) return "no layer";
  const Layer& found = network.layer(layer);
  return '"' + found.name + "\", a layer of kind " + std::string(kind_name(found.parameters));
}

void require_same_layers(const Network& stored, const Network& planned, const std::string& file) {
  const LayerIndex end = std::max(stored.layers().end_index(), planned.layers().end_index());
  for (const LayerIndex i : IndexRange(end)) {
    const bool both = i < stored.layer_count() && i < planned.layer_count();
    if (both && stored.layer(i) == planned.layer(i)) continue;
    const bool alike = both && described(stored, i) == described(planned, i);
    throw InputError({.file = file,
                      .pointer = "/network/layers/" + std::to_string(i),
                      .value = described(stored, i),
                      .allowed = described(planned, i) +
                                 (alike ? " with other parameters or inputs" : "") +
                                 ", as in the plan's network"});
  }
}

void require(bool holds, const InputProblem& problem) {
  if (!holds) throw InputError(problem);
}

}  // namespace

Checkpoint read_checkpoint(const std::string& folder, const Communicator& world) {
  const std::string file = checkpoint_file(folder);
  on_first_rank(world, [&] { require_regular_file(file); });  // a pipe would be waited for
  return parse_checkpoint(read_shared_file(world, file), file);
}

std::optional<Checkpoint> find_checkpoint(const std::string& folder, const Communicator& world) {
  bool exists = false;
  on_first_rank(world, [&] { exists = file_exists(checkpoint_file(folder)); });
  exists = world.broadcast(std::int64_t{exists ? 1 : 0}, 0) == 1;
  return exists ? std::optional(read_checkpoint(folder, world)) : std::nullopt;
}

void require_same_training(const Checkpoint& checkpoint,
                           const std::string& file,
                           const TrainingIdentity& training) {
  require_same_layers(checkpoint.network, training.network, file);
  require(checkpoint.batch == training.batch,
          {.file = file,
           .pointer = "/batch",
           .value = std::to_string(checkpoint.batch),
           .allowed = std::to_string(training.batch) + ", the batch of the plan"});
  require(checkpoint.seed == training.seed,
          {.file = file,
           .pointer = "/seed",
           .value = std::to_string(checkpoint.seed),
           .allowed = std::to_string(training.seed) + ", as --seed says"});
}

void require_same_data(const Checkpoint& checkpoint,
                       const std::string& file,
                       const DataIdentity& data) {
  require(checkpoint.samples == data.samples,
          {.file = file,
           .pointer = "/samples",
           .value = std::to_string(checkpoint.samples),
           .allowed = std::to_string(data.samples) + ", the samples of the data"});
  require(checkpoint.step <= data.steps,
          {.file = file,
           .pointer = "/step",
           .value = std::to_string(checkpoint.step),
           .allowed = "at most " + std::to_string(data.steps) + ", where this training ends"});
}

void check_parts(const std::string& folder,
                 const Checkpoint& checkpoint,
                 const Communicator& world) {
  on_every_rank(world, [&] {
    for (std::size_t i = world.rank(); i < checkpoint.parts.size(); i += world.size()) {
      give_sign_of_progress();
      check_part(checkpoint_file(folder), checkpoint.parts[i]);
    }
  });
}

}  // namespace cnnplan
