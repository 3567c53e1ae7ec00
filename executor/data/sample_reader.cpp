// Reads some rows at a time, so that they are still in a cache when they are converted.
#include "executor/data/sample_reader.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "executor/backend/element.hpp"
#include "executor/comm/watch/wait_record.hpp"
#include "executor/data/positions.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

template <typename F>
void with_buffer_type(BufferElement element, F&& f) {
  if (element == BufferElement::int32) return f(std::int32_t{});
  with_type_of(element_type(element), std::forward<F>(f));
}

template <typename F>
void with_file_type(FileElement element, F&& f) {
  switch (element) {
    case FileElement::uint8:
      return f(std::uint8_t{});
    case FileElement::int32:
      return f(std::int32_t{});
    case FileElement::int64:
      return f(std::int64_t{});
    case FileElement::fp32:
      return f(float{});
    default:
      throw std::logic_error("an element that no sample has");
  }
}

template <typename T>
T converted(double value) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    return static_cast<T>(value);
  } else {
    return stored<T>(value);
  }
}

// Describes the part of a stored sample that a block of a window shows.
struct Shown {
  Box stored;  // in the sample, cut where the window leaves it
  // Element x of the sample along a dim is element x - first of the window. Along w in a mirrored
  // window, it is element first - x.
  std::array<std::int64_t, 3> first{};
  bool mirrored = false;
};

Shown shown_of(const Box& block,
               const WindowPlacement& placement,
               const Shape& window,
               const Shape& sample) {
  Shown shown{.stored = block, .first = placement.first, .mirrored = placement.mirrored};
  shown.stored[Dim::n] = {0, 1};
  for (std::size_t i = 0; i < spatial_dims.size(); ++i) {
    const Dim dim = spatial_dims[i];
    Range range{block[dim].begin + shown.first[i], block[dim].end + shown.first[i]};
    if (dim == Dim::w && shown.mirrored) {
      shown.first[i] += window[dim] - 1;
      range = {shown.first[i] - block[dim].end + 1, shown.first[i] - block[dim].begin + 1};
    }
    shown.stored[dim] = {std::clamp<std::int64_t>(range.begin, 0, sample[dim]),
                         std::clamp<std::int64_t>(range.end, 0, sample[dim])};
  }
  return shown;
}

Selection select(std::int64_t index, const Box& block, const std::vector<Dim>& dims) {
  Selection selection{.start = {index}, .count = {1}};
  for (std::size_t i = 1; i < dims.size(); ++i) {
    selection.start.push_back(block[dims[i]].begin);
    selection.count.push_back(block[dims[i]].size());
  }
  return selection;
}

template <typename Stored>
bool are_finite(const Stored* elements, std::int64_t count) {
  if constexpr (!std::is_floating_point_v<Stored>) return true;
  // The sum is 0 if all numbers are finite, else NaN.
  Stored sum{};
  for (std::int64_t i = 0; i < count; ++i) sum += elements[i] - elements[i];
  return sum == Stored{};
}

[[noreturn]] void refuse_value(const ScaledDataset& tensor,
                               std::int64_t index,
                               const std::string& when = "") {
  throw InputError(
      {.file = tensor.dataset.file(),
       .pointer = tensor.dataset.name(),
       .value = "a value of sample " + std::to_string(index) + " that is not finite" + when,
       .allowed = "finite numbers"});
}

template <typename T>
bool is_finite(T value) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    return true;
  } else {
    return value - value == Computed<T>{0};
  }
}

// Writes rows of a block from the order of the file, (C, D, H, W), to their positions. Returns
// false if a number that it writes is not finite.
template <typename Stored, typename T>
bool turn(const Stored* elements,
          const Box& rows,
          const Shown& shown,
          const ScaledDataset& tensor,
          const TensorView& target) {
  bool all_finite = true;
  const Shape shape = shape_of(rows);
  const std::int64_t channels = shape[Dim::c];
  const std::int64_t positions = volume(shape) / channels;
  const double* const scale = tensor.scale.data() + rows[Dim::c].begin;
  const double* const shift = tensor.shift.data() + rows[Dim::c].begin;
  const std::int64_t step = shown.mirrored ? -target.stride(Dim::w) : target.stride(Dim::w);
  const std::int64_t first_w =
      shown.mirrored ? shown.first[2] - rows[Dim::w].begin : rows[Dim::w].begin - shown.first[2];
  for (std::int64_t d = 0; d < shape[Dim::d]; ++d) {
    for (std::int64_t h = 0; h < shape[Dim::h]; ++h) {
      const std::int64_t at_d = rows[Dim::d].begin + d - shown.first[0] - target.box[Dim::d].begin;
      const std::int64_t at_h = rows[Dim::h].begin + h - shown.first[1] - target.box[Dim::h].begin;
      T* out = target.as<T>() + at_d * target.stride(Dim::d) + at_h * target.stride(Dim::h) +
               (first_w - target.box[Dim::w].begin) * target.stride(Dim::w);
      const Stored* in = elements + (d * shape[Dim::h] + h) * shape[Dim::w];
      for (std::int64_t w = 0; w < shape[Dim::w]; ++w, ++in, out += step) {
        for (std::int64_t c = 0; c < channels; ++c) {
          out[c] = converted<T>(static_cast<double>(in[c * positions]) * scale[c] + shift[c]);
          all_finite = all_finite & is_finite(out[c]);
        }
      }
    }
  }
  return all_finite;
}

// A compressed chunk is unpacked for every read that touches it, so all rows are read at once.
std::int64_t rows_at_once(const ScaledDataset& tensor, const Shape& block) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 20;
  if (tensor.dataset.is_chunked()) return block[Dim::h];
  const std::int64_t row =
      volume(block) / block[Dim::h] * static_cast<std::int64_t>(size_of(tensor.read_as));
  return std::clamp<std::int64_t>(most_bytes / row, 1, block[Dim::h]);
}

}  // namespace

Shape ScaledDataset::shape() const {
  Shape shape{{1, 1, 1, 1, 1}};
  for (std::size_t i = 1; i < dims.size(); ++i) shape[dims[i]] = dataset.extents()[i];
  return shape;
}

void clear_block(BufferElement element, const TensorView& target) {
  with_buffer_type(element, [&]<typename T>(T) {
    const std::int64_t channels = target.shape()[Dim::c];
    for_each_position<T>(target, [&](const Position&, T* out) { std::fill_n(out, channels, T{}); });
  });
}

void read_sample(const ScaledDataset& tensor,
                 std::int64_t index,
                 const WindowPlacement& placement,
                 const Shape& window,
                 BufferElement element,
                 const TensorView& target) {
  const Shown shown = shown_of(target.box, placement, window, tensor.shape());
  const Shape block = shape_of(shown.stored);
  if (volume(block) < volume(target.shape())) clear_block(element, target);
  if (is_empty(shown.stored)) return;
  const std::int64_t rows = rows_at_once(tensor, block);
  const std::int64_t bytes =
      volume(block) / block[Dim::h] * rows * static_cast<std::int64_t>(size_of(tensor.read_as));
  const auto staging = std::make_unique_for_overwrite<std::byte[]>(bytes);
  const Range all = shown.stored[Dim::h];
  for (std::int64_t begin = all.begin; begin < all.end; begin += rows) {
    Box part = shown.stored;
    give_sign_of_progress();
    part[Dim::h] = {begin, std::min(begin + rows, all.end)};
    tensor.dataset.read(select(index, part, tensor.dims), tensor.read_as, staging.get());
    with_file_type(tensor.read_as, [&]<typename Stored>(Stored) {
      const auto* const elements = reinterpret_cast<const Stored*>(staging.get());
      if (!are_finite(elements, volume(part))) refuse_value(tensor, index);
      with_buffer_type(element, [&]<typename T>(T) {
        if (turn<Stored, T>(elements, part, shown, tensor, target)) return;
        refuse_value(tensor, index, " after scaling by mean and std");
      });
    });
  }
}

}  // namespace cnnplan
