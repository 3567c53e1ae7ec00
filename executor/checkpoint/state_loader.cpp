// Assembles the blocks of a rank from the slices in the parts of a checkpoint.
#include "executor/checkpoint/state_loader.hpp"

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "executor/checkpoint/checkpoint_folder.hpp"
#include "executor/checkpoint/training_state.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/step/device_values.hpp"
#include "executor/step/slices.hpp"
#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"
#include "planner/run/checkpoint_values.hpp"

namespace cnnplan {
namespace {

// Reads tensors of a checkpoint whose parts were checked.
class StateReader {
 public:
  StateReader(const std::string& folder, const Checkpoint& checkpoint)
      : folder_(folder), checkpoint_(checkpoint) {}

  const StoredTensor& find(const StateTensor& tensor) const {
    const auto& tensors = checkpoint_.tensors;
    const auto found = std::find_if(tensors.begin(), tensors.end(), [&](const StoredTensor& t) {
      return t.name == tensor.name && t.shape == tensor.shape;
    });
    if (found != tensors.end()) return *found;
    throw InputError({.file = checkpoint_file(folder_),
                      .pointer = "/tensors",
                      .value = "no " + tensor.name + " of " + cnnplan::to_text(tensor.shape),
                      .allowed = "all parameters and running values of the network"});
  }

  // Returns the elements of `common`, which lies in the slice. Reads only from the first of them to
  // the last.
  std::vector<double> read(const StoredSlice& slice, const Box& common) const {
    std::vector<Range> runs;
    for_each_run(shape_of(slice.box),
                 inside(common, slice.box),
                 [&](std::int64_t position, std::int64_t count) {
                   runs.push_back({position, position + count});
                 });
    if (runs.empty()) return {};
    const std::int64_t first = runs.front().begin;
    std::vector<double> all = read(slice, Range{first, runs.back().end});
    if (runs.size() == 1) return all;
    std::vector<double> values;
    for (const Range& run : runs) {
      values.insert(
          values.end(), all.begin() + (run.begin - first), all.begin() + (run.end - first));
    }
    return values;
  }

 private:
  // Returns elements of the slice.
  std::vector<double> read(const StoredSlice& slice, Range elements) const {
    const CheckpointPart& part = checkpoint_.parts.at(slice.part);
    const std::int64_t element_bytes = bytes_of(checkpoint_.element);
    return unpacked(checkpoint_.element,
                    read_bytes((std::filesystem::path(folder_) / part.file).string(),
                               slice.offset_bytes + elements.begin * element_bytes,
                               elements.size() * element_bytes));
  }

  const std::string& folder_;
  const Checkpoint& checkpoint_;
};

// Assembles a block of a tensor from the slices that overlap it.
std::vector<double> assembled(const StoredTensor& stored,
                              const Box& box,
                              const StateReader& reader) {
  std::vector<double> values(volume(box));
  for (const StoredSlice& slice : stored.slices) {
    if (!overlap(slice.box, box)) continue;
    const Box common = intersect(slice.box, box);
    const std::vector<double> read = reader.read(slice, common);
    const double* next = read.data();
    for_each_run(
        shape_of(box), inside(common, box), [&](std::int64_t position, std::int64_t count) {
          std::copy_n(next, count, values.begin() + position);
          next += count;
        });
  }
  return values;
}

// Averages the values of the ranks, weighted by their shares. Channels in which no rank has a share
// weight all ranks equally.
std::vector<double> averaged(const StoredTensor& stored,
                             const Box& box,
                             const StateReader& reader) {
  constexpr double least_weight = 1e-300;
  const std::size_t elements = volume(box);
  std::vector<double> sums(elements);
  std::vector<double> weights(elements);
  for (const StoredSlice& slice : stored.slices) {
    if (!overlap(slice.box, box)) continue;
    const Box common = intersect(slice.box, box);
    const std::vector<double> read = reader.read(slice, common);
    const double weight = std::max(slice.share, least_weight);
    const std::size_t first = common[Dim::w].begin - box[Dim::w].begin;
    for (std::size_t i = 0; i < read.size(); ++i) {
      sums[first + i] += weight * read[i];
      weights[first + i] += weight;
    }
  }
  for (std::size_t i = 0; i < elements; ++i) sums[i] /= weights[i];
  return sums;
}

std::vector<double> running_values(const StoredTensor& stored,
                                   const StateTensor& tensor,
                                   const Resumption& from,
                                   const StateReader& reader) {
  const auto own =
      std::find_if(stored.slices.begin(), stored.slices.end(), [&](const StoredSlice& slice) {
        return slice.part == from.rank && slice.box == tensor.box;
      });
  if (from.same_plan && own != stored.slices.end()) return reader.read(*own, tensor.box);
  return averaged(stored, tensor.box, reader);
}

}  // namespace

void load_state(const Resumption& from, const Network& network, ParameterStore& store) {
  const StateReader reader(from.folder, from.checkpoint);
  for (const StateTensor& tensor : state_tensors(store, network)) {
    give_sign_of_progress();
    const StoredTensor& stored = reader.find(tensor);
    if (is_empty(tensor.box)) continue;
    set_values(store, tensor, [&](const Box& slice) {
      std::vector<double> values = tensor.is_running()
                                       ? running_values(stored, tensor, from, reader)
                                       : assembled(stored, slice, reader);
      require_possible_values(values, tensor.name, checkpoint_file(from.folder));
      return values;
    });
  }
}

}  // namespace cnnplan
