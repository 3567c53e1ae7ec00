// Compares types, extents and label values of a data file with the network, before the first step.
#include "executor/data/data_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "executor/comm/program.hpp"
#include "planner/base/error.hpp"
#include "planner/tensor/distribution.hpp"

namespace cnnplan {
namespace {

struct LabelRange {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest = std::numeric_limits<std::int64_t>::min();
};

struct Extent {
  std::int64_t size = 1;
  bool is_least = false;  // else the size must be equal
};

bool fits(const Extent& wanted, std::int64_t found) {
  return wanted.is_least ? found >= wanted.size : found == wanted.size;
}

// Says what a dataset must be: its types, and its extents except the first.
struct Requirement {
  const char* name;
  const char* other;  // name in files for another kind of loss; may be null
  std::vector<Extent> inner;
  std::string first;  // the first extent, in words
  std::vector<FileElement> elements;
};

std::string to_text(const Requirement& requirement) {
  std::string text;
  for (FileElement element : requirement.elements) {
    text += (text.empty() ? "" : " or ") + to_text(element);
  }
  text += " (" + requirement.first;
  for (const Extent& extent : requirement.inner) {
    text += (extent.is_least ? ", >= " : ", ") + std::to_string(extent.size);
  }
  return text + ")";
}

Hdf5Dataset open_checked(const Hdf5File& file, const Requirement& requirement) {
  InputProblem problem{.file = file.file(),
                       .pointer = requirement.name,
                       .value = "no such dataset",
                       .allowed = to_text(requirement)};
  std::optional<Hdf5Dataset> dataset = file.find(requirement.name);
  if (!dataset) {
    const bool has_other = requirement.other != nullptr && file.find(requirement.other);
    if (has_other) problem.value += std::string(", but ") + requirement.other;
    throw InputError(problem);
  }
  const std::vector<std::int64_t>& extents = dataset->extents();
  const auto& elements = requirement.elements;
  const bool is_right =
      std::find(elements.begin(), elements.end(), dataset->element()) != elements.end() &&
      extents.size() == requirement.inner.size() + 1 &&
      std::equal(requirement.inner.begin(), requirement.inner.end(), extents.begin() + 1, fits);
  if (!is_right) {
    problem.value = to_text(dataset->element()) + " " + extents_text(extents);
    throw InputError(problem);
  }
  return std::move(*dataset);
}

// Returns the extents of `shape` in `dims` except the first, which counts samples.
std::vector<Extent> inner_extents(const Shape& shape, std::span<const Dim> dims) {
  std::vector<Extent> extents;
  for (Dim dim : dims.subspan(1)) extents.push_back({.size = shape[dim]});
  return extents;
}

// Returns the extents of samples that have room for the window, given the padding around them.
std::vector<Extent> extents_around(const Shape& window,
                                   std::span<const Dim> dims,
                                   const Augmentation& augmentation) {
  std::vector<Extent> extents = inner_extents(window, dims);
  for (std::size_t i = 2; i < dims.size() && augmentation.crops; ++i) {
    std::int64_t& size = extents[i - 1].size;
    extents[i - 1].is_least = true;
    if (size > 1) size = std::max<std::int64_t>(2, size - 2 * augmentation.padding);
  }
  return extents;
}

// Opens a dataset with one entry for each of `samples`.
Hdf5Dataset open_beside_samples(const Hdf5File& file,
                                const Requirement& requirement,
                                std::int64_t samples) {
  Hdf5Dataset dataset = open_checked(file, requirement);
  if (dataset.extents().front() != samples) {
    throw InputError({.file = file.file(),
                      .pointer = requirement.name,
                      .value = extents_text(dataset.extents()),
                      .allowed = to_text(requirement)});
  }
  return dataset;
}

// Reads the labels in `rows` of the first dim, some rows at a time.
LabelRange label_range(const Hdf5Dataset& labels, Range rows) {
  constexpr std::int64_t values_at_once = 1 << 20;
  const std::int64_t row = element_count(std::span(labels.extents()).subspan(1));
  const std::int64_t rows_at_once = std::max<std::int64_t>(1, values_at_once / row);
  LabelRange range;
  std::vector<std::int64_t> values;
  for (std::int64_t begin = rows.begin; begin < rows.end; begin += rows_at_once) {
    Selection selection{.start = std::vector<std::int64_t>(labels.extents().size(), 0),
                        .count = labels.extents()};
    selection.start.front() = begin;
    selection.count.front() = std::min(rows_at_once, rows.end - begin);
    values.resize(element_count(selection.count));
    labels.read(selection, FileElement::int64, values.data());
    const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
    range.lowest = std::min(range.lowest, *lowest);
    range.highest = std::max(range.highest, *highest);
  }
  return range;
}

}  // namespace

std::vector<Dim> stored_sample_dims(const BatchShape& batch) {
  if (batch.samples[Dim::d] == 1) return {Dim::n, Dim::c, Dim::h, Dim::w};
  return {Dim::n, Dim::c, Dim::d, Dim::h, Dim::w};
}

std::vector<Dim> stored_label_dims(const BatchShape& batch) {
  const Shape& labels = batch.labels;
  if (labels[Dim::d] > 1) return {Dim::n, Dim::d, Dim::h, Dim::w};
  if (labels[Dim::h] * labels[Dim::w] > 1) return {Dim::n, Dim::h, Dim::w};
  return {Dim::n};
}

std::vector<Dim> stored_target_dims(const BatchShape& batch) {
  std::vector<Dim> dims = stored_label_dims(batch);
  dims.insert(dims.begin() + 1, Dim::c);
  return dims;
}

Hdf5Dataset open_samples(const Hdf5File& file,
                         const BatchShape& batch,
                         std::int64_t least_samples,
                         const Augmentation& augmentation) {
  const Requirement requirement{
      .name = samples_name,
      .other = nullptr,
      .inner = extents_around(batch.samples, stored_sample_dims(batch), augmentation),
      .first = "N >= " + std::to_string(least_samples),
      .elements = {FileElement::fp32, FileElement::uint8}};
  Hdf5Dataset samples = open_checked(file, requirement);
  if (samples.extents().front() < least_samples) {
    throw InputError({.file = file.file(),
                      .pointer = samples_name,
                      .value = std::to_string(samples.extents().front()) + " samples",
                      .allowed = "at least " + std::to_string(least_samples)});
  }
  return samples;
}

BatchShape stored_batch(const Hdf5File& file,
                        const BatchShape& batch,
                        const Shape& stored_sample,
                        const Augmentation& augmentation) {
  BatchShape stored = batch;
  if (!augmentation.crops || stored_label_dims(batch).size() == 1) return stored;
  for (const Dim dim : spatial_dims) {
    if (batch.labels[dim] != batch.samples[dim] || augmentation.padding > 0) {
      throw InputError(
          {.file = file.file(),
           .pointer = batch.has_targets ? targets_name : labels_name,
           .value = "--crop with values per position",
           .allowed = "--crop without padding, and a network whose output has the rows and columns "
                      "of its input"});
    }
    stored.labels[dim] = stored_sample[dim];
  }
  return stored;
}

Hdf5Dataset open_labels(const Hdf5File& file, const BatchShape& batch, std::int64_t samples) {
  return open_beside_samples(
      file,
      {.name = labels_name,
       .other = targets_name,
       .inner = inner_extents(batch.labels, stored_label_dims(batch)),
       .first = std::to_string(samples),
       .elements = {FileElement::uint8, FileElement::int32, FileElement::int64}},
      samples);
}

Hdf5Dataset open_targets(const Hdf5File& file, const BatchShape& batch, std::int64_t samples) {
  return open_beside_samples(file,
                             {.name = targets_name,
                              .other = labels_name,
                              .inner = inner_extents(batch.labels, stored_target_dims(batch)),
                              .first = std::to_string(samples),
                              .elements = {FileElement::fp32}},
                             samples);
}

std::vector<double> channel_attribute(const Hdf5File& file,
                                      const Hdf5Dataset& samples,
                                      const std::string& name,
                                      double absent,
                                      double lowest) {
  const std::size_t channels = samples.extents().at(1);
  std::vector<double> values = samples.attribute(name).value_or(std::vector<double>{absent});
  const bool in_range = std::all_of(values.begin(), values.end(), [&](double value) {
    return std::isfinite(value) && value > lowest;
  });
  if ((values.size() != 1 && values.size() != channels) || !in_range) {
    throw InputError(
        {.file = file.file(),
         .pointer = std::string(samples_name) + "/" + name,
         .value =
             std::to_string(values.size()) + " values" + (in_range ? "" : ", not all in range"),
         .allowed = "1 or " + std::to_string(channels) + " finite values" +
                    (std::isfinite(lowest) ? " above " + std::to_string(lowest) : "")});
  }
  values.resize(channels, values.front());
  return values;
}

void check_label_range(const Hdf5File& file,
                       const Hdf5Dataset& labels,
                       std::int64_t classes,
                       const Communicator& communicator) {
  const Range rows =
      block_range(labels.extents().front(), communicator.size(), communicator.rank());
  LabelRange own;
  on_every_rank(communicator, [&] { own = label_range(labels, rows); });
  // Doubles suffice: labels beyond 2^53 lose digits only in the message.
  const double highest = communicator.maximum(static_cast<double>(own.highest));
  const double lowest = -communicator.maximum(-static_cast<double>(own.lowest));
  if (lowest >= 0.0 && highest < static_cast<double>(classes)) return;
  const double found = lowest < 0.0 ? lowest : highest;
  throw InputError({.file = file.file(),
                    .pointer = labels_name,
                    .value = std::to_string(static_cast<std::int64_t>(found)),
                    .allowed = "labels in [0, " + std::to_string(classes) + ")"});
}

}  // namespace cnnplan
