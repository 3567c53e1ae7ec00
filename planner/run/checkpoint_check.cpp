// Checks that the lists of a checkpoint are consistent.
#include "planner/run/checkpoint_check.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "planner/base/checked.hpp"

namespace cnnplan {
namespace {

// Refuses the value at a JSON pointer.
class Refusal {
 public:
  Refusal(const std::string& file, std::string pointer)
      : file_(file), pointer_(std::move(pointer)) {}
  void unless(bool holds, const std::string& value, const std::string& allowed) const {
    if (holds) return;
    throw InputError({.file = file_, .pointer = pointer_, .value = value, .allowed = allowed});
  }
  Refusal below(const std::string& key) const { return {file_, pointer_ + '/' + key}; }

 private:
  const std::string& file_;
  std::string pointer_;
};

void check_slice(const StoredSlice& slice,
                 const StoredTensor& tensor,
                 const Checkpoint& checkpoint,
                 const Refusal& refusal) {
  const std::size_t parts = checkpoint.parts.size();
  refusal.below("part").unless(slice.part >= 0 && std::cmp_less(slice.part, parts),
                               std::to_string(slice.part),
                               "below " + std::to_string(parts) + ", the number of parts");
  refusal.unless(contains(whole(tensor.shape), slice.box),
                 to_text(slice.box),
                 "a block of a tensor of " + to_text(tensor.shape));
  const std::int64_t end = checked_add(
      slice.offset_bytes, checked_multiply(volume(slice.box), bytes_of(checkpoint.element)));
  refusal.below("offset_bytes")
      .unless(slice.offset_bytes % bytes_of(checkpoint.element) == 0,
              std::to_string(slice.offset_bytes),
              "multiples of " + std::to_string(bytes_of(checkpoint.element)) +
                  ", the bytes of an element");
  const std::int64_t there = checkpoint.parts[slice.part].bytes;
  refusal.below("offset_bytes")
      .unless(end <= there,
              std::to_string(slice.offset_bytes),
              "at most " + std::to_string(there - (end - slice.offset_bytes)) +
                  ", so that the slice lies in its part");
}

// Requires disjoint slices that have as many elements as the tensor.
void check_tiling(const StoredTensor& tensor, const Refusal& refusal) {
  std::int64_t elements = 0;
  for (std::size_t i = 0; i < tensor.slices.size(); ++i) {
    const Box& box = tensor.slices[i].box;
    for (std::size_t j = 0; j < i; ++j) {
      refusal.unless(!overlap(box, tensor.slices[j].box), to_text(box), "slices that are disjoint");
    }
    elements = checked_add(elements, volume(box));
  }
  refusal.unless(elements == volume(tensor.shape),
                 std::to_string(elements) + " elements",
                 std::to_string(volume(tensor.shape)) + ", all of the tensor");
}

// Every rank has its own running values. Slices may overlap, but together they cover all channels.
void check_cover(const StoredTensor& tensor, const Refusal& refusal) {
  std::vector<Range> ranges;
  for (const StoredSlice& slice : tensor.slices) ranges.push_back(slice.box[Dim::w]);
  std::sort(ranges.begin(), ranges.end());
  std::int64_t covered = 0;
  for (const Range& range : ranges) {
    if (range.begin > covered) break;
    covered = std::max(covered, range.end);
  }
  refusal.unless(covered == tensor.shape[Dim::w],
                 "nothing of channel " + std::to_string(covered),
                 "slices with all " + std::to_string(tensor.shape[Dim::w]) + " channels");
}

void check_tensor(const StoredTensor& tensor,
                  const Checkpoint& checkpoint,
                  const Refusal& refusal) {
  const Refusal slices = refusal.below("slices");
  for (std::size_t i = 0; i < tensor.slices.size(); ++i) {
    check_slice(tensor.slices[i], tensor, checkpoint, slices.below(std::to_string(i)));
  }
  if (holds_running_values(tensor)) {
    check_cover(tensor, slices);
  } else {
    check_tiling(tensor, slices);
  }
}

}  // namespace

bool holds_running_values(const StoredTensor& tensor) {
  return tensor.name.ends_with("/mean") || tensor.name.ends_with("/variance");
}

void validate(const Checkpoint& checkpoint, const std::string& file) {
  const Refusal root(file, "");
  root.below("loss").unless(std::ssize(checkpoint.loss) == checkpoint.step,
                            "a list of " + std::to_string(checkpoint.loss.size()),
                            "one for each of the " + std::to_string(checkpoint.step) + " steps");
  const Refusal tensors = root.below("tensors");
  for (std::size_t i = 0; i < checkpoint.tensors.size(); ++i) {
    check_tensor(checkpoint.tensors[i], checkpoint, tensors.below(std::to_string(i)));
  }
}

}  // namespace cnnplan
