// Draws synthetic samples, labels and targets by global index.
#include "executor/data/synthetic_data.hpp"

#include <algorithm>
#include <numbers>

#include "executor/backend/element.hpp"
#include "executor/backend/random.hpp"
#include "executor/data/positions.hpp"

namespace cnnplan {
namespace {

// Sums four uniform 16-bit numbers of one draw, scaled to variance 1. This is four times as fast as
// a normal draw, and good enough for made-up samples.
double normal_like(std::uint64_t bits) {
  constexpr double unit = 1.0 / 65536.0;
  const std::uint64_t sum =
      (bits & 0xffff) + ((bits >> 16) & 0xffff) + ((bits >> 32) & 0xffff) + (bits >> 48);
  constexpr double mean = 2.0 * (1.0 - unit);
  return (static_cast<double>(sum) * unit - mean) * std::numbers::sqrt3;
}

// Returns the index of a position's first channel in the whole tensor (N, C, D, H, W).
std::uint64_t global_index(const Shape& shape, const Box& box, const Position& at) {
  std::int64_t index = (box[Dim::n].begin + at.n) * shape[Dim::c] + box[Dim::c].begin;
  index = index * shape[Dim::d] + box[Dim::d].begin + at.d;
  index = index * shape[Dim::h] + box[Dim::h].begin + at.h;
  index = index * shape[Dim::w] + box[Dim::w].begin + at.w;
  return index;
}

std::uint64_t channel_stride(const Shape& shape) {
  return shape[Dim::d] * shape[Dim::h] * shape[Dim::w];
}

template <typename T>
TensorView dense_view(std::vector<std::byte>& elements, const Box& box) {
  elements.resize(volume(box) * sizeof(T));
  return view_of(elements.data(), box, box, sizeof(T));
}

// Copies the kept values for the box of `target` into it.
template <typename T>
void copy_block(const std::vector<std::byte>& elements, const TensorView& target) {
  if (is_dense(target)) {
    std::copy(elements.begin(), elements.end(), target.as<std::byte>());
    return;
  }
  const std::int64_t channels = target.shape()[Dim::c];
  const T* next = reinterpret_cast<const T*>(elements.data());
  for_each_position<T>(target, [&](const Position&, T* out) {
    std::copy_n(next, channels, out);
    next += channels;
  });
}

}  // namespace

void SyntheticData::read_samples(std::int64_t /*step*/, const TensorView& samples) {
  with_type_of(activation_element(batch_.precision), [&]<typename T>(T) {
    read_values<T>(samples, batch_.samples, RandomUse::samples, samples_);
  });
}

void SyntheticData::read_labels(std::int64_t /*step*/, const TensorView& labels) {
  const auto has_box = [&](const Block& block) { return block.box == labels.box; };
  auto kept = std::find_if(labels_.begin(), labels_.end(), has_box);
  if (kept == labels_.end()) kept = labels_.insert(labels_.end(), Block{});
  if (!batch_.has_targets) return read_classes(labels, *kept);
  with_type_of(parameter_element(batch_.precision), [&]<typename T>(T) {
    read_values<T>(labels, batch_.labels, RandomUse::labels, *kept);
  });
}

template <typename T>
void SyntheticData::read_values(const TensorView& target,
                                const Shape& whole,
                                RandomUse use,
                                Block& kept) {
  if (is_empty(target.box)) return;
  if (kept.box != target.box) {
    const std::uint64_t key = random_key({.seed = seed_, .use = use});
    const std::uint64_t stride = channel_stride(whole);
    const std::uint64_t channels = target.shape()[Dim::c];
    for_each_position<T>(dense_view<T>(kept.elements, target.box), [&](const Position& at, T* out) {
      const std::uint64_t first = global_index(whole, target.box, at);
      for (std::uint64_t c = 0; c < channels; ++c) {
        out[c] = stored<T>(normal_like(random_bits(key, first + c * stride)));
      }
    });
    kept.box = target.box;
  }
  copy_block<T>(kept.elements, target);
}

void SyntheticData::read_classes(const TensorView& labels, Block& kept) {
  if (is_empty(labels.box)) return;
  if (kept.box != labels.box) {
    const std::uint64_t key = random_key({.seed = seed_, .use = RandomUse::labels});
    const std::uint64_t classes = batch_.classes;
    for_each_position<std::int32_t>(
        dense_view<std::int32_t>(kept.elements, labels.box),
        [&](const Position& at, std::int32_t* out) {
          const std::uint64_t index = global_index(batch_.labels, labels.box, at);
          *out = static_cast<std::int32_t>(random_bits(key, index) % classes);
        });
    kept.box = labels.box;
  }
  copy_block<std::int32_t>(kept.elements, labels);
}

}  // namespace cnnplan
