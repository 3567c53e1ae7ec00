// Reads whole files of weights and whole small datasets, but only a few samples of large ones.
#include "executor/agreement/file_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "executor/data/data_check.hpp"
#include "executor/hdf5/hdf5_file.hpp"
#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"
#include "planner/base/sha256.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t most_samples = 8;  // of a large dataset, spread over it
constexpr std::int64_t most_values_in_all = std::int64_t{1} << 22;  // of a dataset read as a whole
constexpr std::int64_t most_values = std::int64_t{1} << 16;         // of each of them
constexpr std::size_t shown_digits = 16;  // of a digest, as a user reads it

// Returns what `read` returns, or why it cannot.
template <typename Read>
std::string value_or_reason(const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    return error.what();
  }
}

std::string shown(const std::string& digest) {
  return "SHA-256 " + digest.substr(0, shown_digits);
}

void add(std::span<const double> values, Sha256& digest) {
  digest.add(std::as_bytes(values));
}

// Selects a block in the middle of one sample, small enough to read.
Selection part_of(const std::vector<std::int64_t>& extents, std::int64_t sample) {
  Selection part{.start = std::vector<std::int64_t>(extents.size(), 0), .count = extents};
  part.start.front() = sample;
  part.count.front() = 1;
  std::int64_t values = 1;
  for (std::size_t dim = extents.size(); dim-- > 1;) {
    part.count[dim] = std::min(extents[dim], std::max<std::int64_t>(1, most_values / values));
    part.start[dim] = (extents[dim] - part.count[dim]) / 2;
    values *= part.count[dim];
  }
  return part;
}

std::string digest_of_some(const Hdf5Dataset& dataset) {
  const std::vector<std::int64_t>& extents = dataset.extents();
  Sha256 digest;
  const std::int64_t all = extents.front();
  const auto values_in_all = static_cast<std::int64_t>(element_count(extents));
  if (values_in_all <= most_values_in_all) add(dataset.read_all(), digest);
  const std::int64_t samples =
      values_in_all <= most_values_in_all ? 0 : std::min(all, most_samples);
  for (std::int64_t i = 0; i < samples; ++i) {
    const std::int64_t sample = samples == 1 ? 0 : i * (all - 1) / (samples - 1);
    const Selection part = part_of(extents, sample);
    std::vector<double> values(element_count(part.count));
    if (!values.empty()) dataset.read(part, FileElement::fp64, values.data());
    add(values, digest);
  }
  for (const char* const name : {"mean", "std"}) {
    add(dataset.attribute(name).value_or(std::vector<double>{}), digest);
  }
  return digest.finish();
}

std::string text_of(const Hdf5File& file, const char* name) {
  const std::optional<Hdf5Dataset> dataset = file.find(name);
  if (!dataset || dataset->extents().empty() || dataset->element() == FileElement::other) {
    return {};
  }
  return std::string(name) + " " + to_text(dataset->element()) + " " +
         extents_text(dataset->extents()) + " " + shown(digest_of_some(*dataset));
}

}  // namespace

std::vector<Fact> program_facts() {
  const std::string digest =
      value_or_reason([] { return shown(digest_of("/proc/self/exe").sha256); });
  return {{"the version of the program", CNNPLAN_VERSION}, {"the executable", digest}};
}

std::vector<Fact> file_facts(const std::string& option, const std::string& file) {
  if (file.empty()) return {};
  return {{"the contents of " + option + " " + file,
           value_or_reason([&] { return shown(digest_of(file).sha256); })}};
}

std::vector<Fact> sample_facts(const std::string& option, const std::string& file) {
  if (file.empty()) return {};
  const auto read = [&] {
    const Hdf5File opened = Hdf5File::open(file);
    std::string text;
    for (const char* const name : {samples_name, labels_name, targets_name}) {
      const std::string part = text_of(opened, name);
      if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
    }
    return text;
  };
  return {{"the contents of " + option + " " + file, value_or_reason(read)}};
}

}  // namespace cnnplan
