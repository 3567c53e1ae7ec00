// Decides which sample of the file stands where in a mini-batch, and which window of it is read.
#include "executor/data/hdf5_data.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "executor/backend/random.hpp"
#include "executor/comm/program.hpp"
#include "executor/data/data_check.hpp"
#include "executor/data/permutation.hpp"
#include "executor/data/positions.hpp"

namespace cnnplan {
namespace {

ScaledDataset stored_samples(const Hdf5File& file, const BatchShape& batch, Hdf5Dataset dataset) {
  constexpr double any = -std::numeric_limits<double>::infinity();
  const std::vector<double> mean = channel_attribute(file, dataset, "mean", 0.0, any);
  const std::vector<double> deviation = channel_attribute(file, dataset, "std", 1.0, 0.0);
  const FileElement element = dataset.element();
  dataset.read_directly();
  const double unit = element == FileElement::uint8 ? 1.0 / 255.0 : 1.0;
  ScaledDataset samples{.dataset = std::move(dataset),
                        .dims = stored_sample_dims(batch),
                        .read_as = element,
                        .scale = {},
                        .shift = {}};
  for (std::size_t channel = 0; channel < mean.size(); ++channel) {
    samples.scale.push_back(unit / deviation[channel]);
    samples.shift.push_back(-mean[channel] / deviation[channel]);
  }
  return samples;
}

ScaledDataset stored_labels(const BatchShape& batch, Hdf5Dataset dataset) {
  dataset.read_directly();
  const FileElement element = dataset.element();
  const std::size_t channels = batch.labels[Dim::c];
  return {.dataset = std::move(dataset),
          .dims = batch.has_targets ? stored_target_dims(batch) : stored_label_dims(batch),
          .read_as = batch.has_targets ? FileElement::fp32 : element,
          .scale = std::vector<double>(channels, 1.0),
          .shift = std::vector<double>(channels, 0.0)};
}

}  // namespace

Hdf5Data::Hdf5Data(const std::string& file,
                   const BatchShape& batch,
                   const SampleOrder& order,
                   const Communicator& communicator,
                   Labels labels,
                   const Augmentation& augmentation)
    : batch_(batch), order_(order), augmentation_(augmentation) {
  on_every_rank(communicator, [&] { open(file, labels); });
  if (labels_ && !batch.has_targets) {
    check_label_range(*file_, labels_->dataset, batch.classes, communicator);
  }
}

void Hdf5Data::open(const std::string& file, Labels labels) {
  file_ = Hdf5File::open(file);
  const std::int64_t least_samples = order_.shuffled ? batch_size() : 1;
  samples_ =
      stored_samples(*file_, batch_, open_samples(*file_, batch_, least_samples, augmentation_));
  if (labels == Labels::without) return;
  const BatchShape stored = stored_batch(*file_, batch_, samples_->shape(), augmentation_);
  labels_ = stored_labels(batch_,
                          batch_.has_targets ? open_targets(*file_, stored, sample_count())
                                             : open_labels(*file_, stored, sample_count()));
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
  const RandomStream stream{.seed = order_.seed,
                            .use = RandomUse::order,
                            .step = static_cast<std::uint64_t>(pass_of(step))};
  return Permutation(sample_count(), random_key(stream))(place);
}

WindowPlacement Hdf5Data::placement(std::int64_t step, std::int64_t sample) const {
  const Shape stored = samples_->shape();
  if (!order_.shuffled) return centred(stored, batch_.samples);
  return drawn(augmentation_, stored, batch_.samples, order_.seed, pass_of(step), sample);
}

// Labels per position have the placement of their sample. Coarser labels occur only where nothing
// is cropped.
WindowPlacement Hdf5Data::label_placement(std::int64_t step, std::int64_t sample) const {
  WindowPlacement place = placement(step, sample);
  if (!augmentation_.crops || labels_->dims.size() <= 2) place.first = {};
  return place;
}

BufferElement Hdf5Data::sample_element() const {
  return buffer_element(activation_element(batch_.precision));
}

BufferElement Hdf5Data::label_element() const {
  if (!batch_.has_targets) return BufferElement::int32;
  return buffer_element(parameter_element(batch_.precision));
}

template <typename Place>
void Hdf5Data::read_block(std::int64_t step,
                          const ScaledDataset& tensor,
                          const Shape& window,
                          const TensorView& block,
                          const Place& place) const {
  const BufferElement element = &tensor == &*samples_ ? sample_element() : label_element();
  const Range mine = block.box[Dim::n];
  const std::int64_t valid = valid_count(step);
  for (std::int64_t n = mine.begin; n < mine.end; ++n) {
    const TensorView sample = sample_of(block, n - mine.begin, bytes_of(element));
    if (n >= valid) {
      clear_block(element, sample);
      continue;
    }
    const std::int64_t index = file_index(step, n);
    read_sample(tensor, index, place(index), window, element, sample);
  }
}

void Hdf5Data::read_samples(std::int64_t step, const TensorView& samples) {
  if (is_empty(samples.box)) return;
  read_block(step, *samples_, batch_.samples, samples, [&](std::int64_t index) {
    return placement(step, index);
  });
}

void Hdf5Data::read_labels(std::int64_t step, const TensorView& labels) {
  if (is_empty(labels.box)) return;
  if (!labels_) return clear_block(label_element(), labels);
  read_block(step, *labels_, batch_.labels, labels, [&](std::int64_t index) {
    return label_placement(step, index);
  });
}

}  // namespace cnnplan
