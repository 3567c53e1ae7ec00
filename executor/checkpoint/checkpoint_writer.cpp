// Writes the parts of a checkpoint first, then the file that names them.
#include "executor/checkpoint/checkpoint_writer.hpp"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "executor/backend/element.hpp"
#include "executor/checkpoint/checkpoint_folder.hpp"
#include "executor/checkpoint/training_state.hpp"
#include "executor/comm/program.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"
#include "planner/base/file.hpp"
#include "planner/tensor/rank_group.hpp"

namespace cnnplan {
namespace {

std::string path_in(const std::string& folder, const std::string& name) {
  return (std::filesystem::path(folder) / name).string();
}

// Describes one slice for rank 0.
struct WrittenSlice {
  std::size_t tensor = 0;
  StoredSlice slice;
};

struct WrittenPart {
  FileDigest digest;
  std::vector<WrittenSlice> slices;
};

// Ranks that hold equal slices take turns: each writes every n-th tensor. Running values differ
// between ranks, so each rank writes its own.
bool is_written_by(int rank, std::size_t index, const StateTensor& tensor, const Plan& plan) {
  if (is_empty(tensor.box)) return false;
  if (tensor.is_running()) return true;
  const Mesh& mesh = plan.layers[tensor.layer].mesh;
  const RankGroup equals(mesh, rank, {Axis::c, Axis::l});
  return equals[static_cast<int>(index % static_cast<std::size_t>(equals.size()))] == rank;
}

void append(DurableFile& file, ElementType element, const std::vector<double>& values) {
  with_type_of(element, [&]<typename T>(T) {
    std::vector<T> elements;
    elements.reserve(values.size());
    for (const double value : values) elements.push_back(stored<T>(value));
    file.append(std::as_bytes(std::span(elements)));
  });
}

WrittenPart write_part(const std::string& path,
                       int rank,
                       const Plan& plan,
                       const ParameterStore& store) {
  const std::vector<StateTensor> tensors = state_tensors(store, plan.network);
  DurableFile file(path);
  WrittenPart part;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const StateTensor& tensor = tensors[i];
    if (!is_written_by(rank, i, tensor, plan)) continue;
    give_sign_of_progress();
    part.slices.push_back(
        {.tensor = i,
         .slice = {.part = rank,
                   .offset_bytes = file.bytes(),
                   .box = tensor.box,
                   .share = tensor.is_running() ? own_share(plan, tensor.layer, rank) : 1.0}});
    for_each_slice(store, tensor, [&](const std::vector<double>& values) {
      append(file, parameter_element(store.precision()), values);
    });
  }
  part.digest = file.commit();
  return part;
}

// Rank 0 gets the tensors of all ranks; the others get an empty list.
std::vector<StoredTensor> gathered_tensors(const std::vector<WrittenSlice>& own,
                                           const std::vector<StateTensor>& tensors,
                                           const Communicator& world) {
  const auto all = world.gather(std::span<const WrittenSlice>(own), 0);
  if (world.rank() != 0) return {};
  std::vector<StoredTensor> stored;
  for (const StateTensor& tensor : tensors) {
    stored.push_back({.name = tensor.name, .shape = tensor.shape, .slices = {}});
  }
  for (const auto& written : all) {
    for (const WrittenSlice& entry : written) stored[entry.tensor].slices.push_back(entry.slice);
  }
  return stored;
}

std::vector<CheckpointPart> gathered_parts(const FileDigest& own,
                                           std::int64_t generation,
                                           const Communicator& world) {
  const auto bytes = world.gather(std::span<const std::int64_t>(&own.bytes, 1), 0);
  const auto digests = world.gather(own.sha256, 0);
  std::vector<CheckpointPart> parts;
  for (std::size_t rank = 0; rank < digests.size(); ++rank) {
    parts.push_back({.file = part_name(generation, static_cast<int>(rank)),
                     .bytes = bytes[rank].front(),
                     .sha256 = digests[rank]});
  }
  return world.rank() == 0 ? parts : std::vector<CheckpointPart>{};
}

// Checks that the other ranks see the files that rank 0 writes to the folder.
void require_shared(const std::string& folder, const Communicator& world) {
  const std::string probe =
      path_in(folder, world.broadcast("checkpoint-probe-" + std::to_string(::getpid()), 0));
  on_first_rank(world, [&] { write_file(probe, probe); });
  const auto remove = [&] {
    std::error_code stays;
    if (world.rank() == 0) std::filesystem::remove(probe, stays);
  };
  try {
    on_every_rank(world, [&] {
      if (file_exists(probe)) return;
      throw IoError(folder + ": rank " + std::to_string(world.rank()) +
                    " does not see what rank 0 writes there; a checkpoint needs a folder that all "
                    "ranks share");
    });
  } catch (...) {
    remove();
    throw;
  }
  remove();
}

}  // namespace

CheckpointWriter::CheckpointWriter(const std::string& folder,
                                   std::int64_t generation,
                                   const Communicator& world)
    : folder_(folder), generation_(generation), world_(world) {
  on_first_rank(world, [&] {
    require_folder(folder_);
    remove_other_parts(folder_, generation_);
  });
  require_shared(folder_, world_);
}

void CheckpointWriter::write(const Checkpoint& progress,
                             const Plan& plan,
                             const ParameterStore& store) {
  const Activity activity("checkpoint");
  Checkpoint checkpoint = progress;
  checkpoint.generation = generation_ + 1;
  checkpoint.element = parameter_element(store.precision());
  const std::string path = path_in(folder_, part_name(checkpoint.generation, world_.rank()));
  WrittenPart own;
  try {
    on_every_rank(world_, [&] { own = write_part(path, world_.rank(), plan, store); });
  } catch (...) {
    std::error_code stays;
    std::filesystem::remove(path, stays);
    throw;
  }
  checkpoint.parts = gathered_parts(own.digest, checkpoint.generation, world_);
  checkpoint.tensors = gathered_tensors(own.slices, state_tensors(store, plan.network), world_);
  on_first_rank(world_, [&] { commit(checkpoint); });
  generation_ = checkpoint.generation;
}

void CheckpointWriter::commit(const Checkpoint& checkpoint) const {
  DurableFile file(checkpoint_file(folder_));
  const std::string text = to_json(checkpoint);
  file.append(std::as_bytes(std::span(text)));
  file.commit();
  remove_other_parts(folder_, checkpoint.generation);
}

}  // namespace cnnplan
