// Blocks of samples by hyperslabs, turned to channels-last.
#include "executor/training/hdf5_data.hpp"

#include <algorithm>
#include <limits>
#include <span>

#include "executor/backend/element.hpp"
#include "executor/backend/random.hpp"
#include "executor/training/data_check.hpp"
#include "executor/training/permutation.hpp"
#include "executor/training/positions.hpp"

namespace cnnplan {
namespace {

// The block `box` of the sample that stands at `index` in the file, of a dataset stored in `dims`.
Selection select_sample(std::int64_t index, const Box& box, std::span<const Dim> dims) {
  Selection selection{.start = {index}, .count = {1}};
  for (Dim dim : dims.subspan(1)) {
    selection.start.push_back(box[dim].begin);
    selection.count.push_back(box[dim].size());
  }
  return selection;
}

std::int64_t position_index(const Shape& block, const Position& at) {
  return (at.d * block[Dim::h] + at.h) * block[Dim::w] + at.w;
}

template <typename T>
void clear(const TensorView& view) {
  const std::int64_t channels = view.shape()[Dim::c];
  for_each_position<T>(view, [&](const Position&, T* out) { std::fill_n(out, channels, T{}); });
}

}  // namespace

Hdf5Data::Hdf5Data(const std::string& file,
                   const BatchShape& batch,
                   const SampleOrder& order,
                   const Communicator& communicator,
                   Labels labels)
    : batch_(batch),
      order_(order),
      file_(Hdf5File::open(file)),
      samples_(open_samples(file_, batch, order.shuffled ? batch.samples[Dim::n] : 1)) {
  constexpr double any = -std::numeric_limits<double>::infinity();
  const std::vector<double> mean = channel_attribute(file_, samples_, "mean", 0.0, any);
  const std::vector<double> deviation = channel_attribute(file_, samples_, "std", 1.0, 0.0);
  const double unit = samples_.element() == FileElement::uint8 ? 1.0 / 255.0 : 1.0;
  for (std::size_t channel = 0; channel < mean.size(); ++channel) {
    sample_scaling_.scale.push_back(unit / deviation[channel]);
    sample_scaling_.shift.push_back(-mean[channel] / deviation[channel]);
  }
  if (labels == Labels::without) return;
  if (batch.has_targets) {
    labels_ = open_targets(file_, batch, samples_.extents().front());
    const auto channels = static_cast<std::size_t>(batch.labels[Dim::c]);
    target_scaling_ = {std::vector<double>(channels, 1.0), std::vector<double>(channels, 0.0)};
    return;
  }
  labels_ = open_labels(file_, batch, samples_.extents().front());
  check_label_range(file_, *labels_, batch.classes, communicator);
}

std::int64_t Hdf5Data::step_count() const {
  const std::int64_t partial = order_.shuffled ? 0 : batch_size() - 1;
  return (sample_count() + partial) / batch_size();
}

std::int64_t Hdf5Data::valid_count(std::int64_t step) const {
  const std::int64_t first = step % step_count() * batch_size();
  return std::min(batch_size(), sample_count() - first);
}

std::int64_t Hdf5Data::file_index(std::int64_t step, std::int64_t n) const {
  const std::int64_t place = step % step_count() * batch_size() + n;
  if (!order_.shuffled) return place;
  const auto pass = static_cast<std::uint64_t>(step / step_count());
  const RandomStream stream{.seed = order_.seed, .use = RandomUse::order, .step = pass};
  return Permutation(sample_count(), random_key(stream))(place);
}

void Hdf5Data::read_samples(std::int64_t step, const TensorView& samples) {
  with_type_of(activation_element(batch_.precision),
               [&]<typename T>(T) { read_real_samples<T>(step, samples); });
}

void Hdf5Data::read_labels(std::int64_t step, const TensorView& labels) {
  if (!batch_.has_targets) return read_classes(step, labels);
  with_type_of(parameter_element(batch_.precision),
               [&]<typename T>(T) { read_targets<T>(step, labels); });
}

template <typename T>
void Hdf5Data::read_real_samples(std::int64_t step, const TensorView& samples) {
  if (is_empty(samples.box)) return;
  const Range mine = samples.box[Dim::n];
  const std::int64_t valid = valid_count(step);
  for (std::int64_t n = mine.begin; n < mine.end; ++n) {
    const TensorView sample = sample_of(samples, n - mine.begin, sizeof(T));
    if (n >= valid) {
      clear<T>(sample);
      continue;
    }
    const Selection selection =
        select_sample(file_index(step, n), sample.box, stored_sample_dims(batch_));
    samples_.element() == FileElement::uint8
        ? read_values<std::uint8_t, T>(samples_, selection, sample_scaling_, sample)
        : read_values<float, T>(samples_, selection, sample_scaling_, sample);
  }
}

template <typename T>
void Hdf5Data::read_targets(std::int64_t step, const TensorView& targets) {
  if (is_empty(targets.box)) return;
  const Range mine = targets.box[Dim::n];
  const std::int64_t valid = valid_count(step);
  for (std::int64_t n = mine.begin; n < mine.end; ++n) {
    const TensorView sample = sample_of(targets, n - mine.begin, sizeof(T));
    if (n >= valid || !labels_) {
      clear<T>(sample);
      continue;
    }
    const Selection selection =
        select_sample(file_index(step, n), sample.box, stored_target_dims(batch_));
    read_values<float, T>(*labels_, selection, target_scaling_, sample);
  }
}

template <typename Stored, typename T>
void Hdf5Data::read_values(const Hdf5Dataset& dataset,
                           const Selection& selection,
                           const Scaling& scaling,
                           const TensorView& sample) {
  const Shape block = sample.shape();
  const auto bytes = static_cast<std::size_t>(volume(block)) * sizeof(Stored);
  staging_.resize(std::max(staging_.size(), bytes));
  auto* elements = reinterpret_cast<Stored*>(staging_.data());
  dataset.read(selection, dataset.element(), elements);

  const std::int64_t channels = block[Dim::c];
  const std::int64_t positions = volume(block) / channels;
  const double* scale = scaling.scale.data() + sample.box[Dim::c].begin;
  const double* shift = scaling.shift.data() + sample.box[Dim::c].begin;
  for_each_position<T>(sample, [&](const Position& at, T* out) {
    const Stored* in = elements + position_index(block, at);
    for (std::int64_t c = 0; c < channels; ++c) {
      out[c] = stored<T>(static_cast<double>(in[c * positions]) * scale[c] + shift[c]);
    }
  });
}

void Hdf5Data::read_classes(std::int64_t step, const TensorView& labels) {
  if (is_empty(labels.box)) return;
  const Range mine = labels.box[Dim::n];
  const std::int64_t valid = valid_count(step);
  for (std::int64_t n = mine.begin; n < mine.end; ++n) {
    const TensorView sample = sample_of(labels, n - mine.begin, sizeof(std::int32_t));
    if (n >= valid || !labels_) {
      clear<std::int32_t>(sample);
      continue;
    }
    const Shape block = sample.shape();
    std::vector<std::int32_t> stored(static_cast<std::size_t>(volume(block)));
    labels_->read(select_sample(file_index(step, n), sample.box, stored_label_dims(batch_)),
                  FileElement::int32,
                  stored.data());
    for_each_position<std::int32_t>(sample, [&](const Position& at, std::int32_t* out) {
      *out = stored[static_cast<std::size_t>(position_index(block, at))];
    });
  }
}

}  // namespace cnnplan
