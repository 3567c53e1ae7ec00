// Assembles the blocks of a rank from the slices in the parts of a checkpoint.
#include "executor/checkpoint/state_loader.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "executor/backend/element.hpp"
#include "executor/checkpoint/checkpoint_folder.hpp"
#include "executor/checkpoint/training_state.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

// Returns `inner` in the indices of a tensor that begins where `outer` begins.
Box inside(const Box& inner, const Box& outer) {
  Box moved = inner;
  for (const Dim dim : all_dims) moved = shifted(moved, dim, -outer[dim].begin);
  return moved;
}

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

  // Returns the elements of `common`, which lies in the slice.
  std::vector<double> read(const StoredSlice& slice, const Box& common) const {
    std::vector<double> all = read(slice);
    if (common == slice.box) return all;
    std::vector<double> values;
    for_each_run(shape_of(slice.box),
                 inside(common, slice.box),
                 [&](std::int64_t position, std::int64_t count) {
                   values.insert(
                       values.end(), all.begin() + position, all.begin() + position + count);
                 });
    return values;
  }

 private:
  std::vector<double> read(const StoredSlice& slice) const {
    const CheckpointPart& part = checkpoint_.parts.at(slice.part);
    const std::int64_t bytes = volume(slice.box) * bytes_of(checkpoint_.element);
    const std::vector<std::byte> stored = read_bytes(
        (std::filesystem::path(folder_) / part.file).string(), slice.offset_bytes, bytes);
    return with_type_of(checkpoint_.element, [&]<typename T>(T) {
      std::vector<T> elements(stored.size() / sizeof(T));
      if (!elements.empty()) std::memcpy(elements.data(), stored.data(), stored.size());
      std::vector<double> values;
      values.reserve(elements.size());
      for (const T element : elements) values.push_back(static_cast<double>(element));
      return values;
    });
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

// Refuses values that no training saves, although the part has the digest that the index names.
void require_possible(const std::vector<double>& values,
                      const StateTensor& tensor,
                      const std::string& folder) {
  const bool is_variance = tensor.is_running() && tensor.second;
  const auto found = std::find_if(values.begin(), values.end(), [is_variance](double value) {
    return !std::isfinite(value) || (is_variance && value < 0.0);
  });
  if (found == values.end()) return;
  throw InputError(
      {.file = checkpoint_file(folder),
       .pointer = tensor.name,
       .value = "the value " + std::to_string(*found),
       .allowed = is_variance ? "finite numbers that are not negative" : "finite numbers"});
}

}  // namespace

void load_state(const Resumption& from, const Network& network, ParameterStore& store) {
  const StateReader reader(from.folder, from.checkpoint);
  for (const StateTensor& tensor : state_tensors(store, network)) {
    give_sign_of_progress();
    const StoredTensor& stored = reader.find(tensor);
    if (is_empty(tensor.box)) continue;
    const std::vector<double> values = tensor.is_running()
                                           ? running_values(stored, tensor, from, reader)
                                           : assembled(stored, tensor.box, reader);
    require_possible(values, tensor, from.folder);
    set_values(store, tensor, values);
  }
}

}  // namespace cnnplan
