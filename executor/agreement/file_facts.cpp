// Reads whole files of weights and whole small datasets, but only some blocks of large ones.
#include "executor/agreement/file_facts.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>

#include "executor/agreement/sampled_blocks.hpp"
#include "executor/data/data_check.hpp"
#include "executor/hdf5/hdf5_file.hpp"
#include "planner/base/durable_file.hpp"
#include "planner/base/error.hpp"
#include "planner/base/sha256.hpp"

namespace cnnplan {
namespace {

constexpr std::int64_t most_values_in_all = std::int64_t{1} << 22;  // of a dataset read as a whole
// A block of a compressed dataset costs the chunk in which it lies. All ranks read equally many
// blocks, so the time cannot be the limit.
constexpr std::int64_t most_chunk_bytes = std::int64_t{1} << 28;
constexpr std::int64_t least_blocks = 8;
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

std::int64_t most_blocks(const Hdf5Dataset& dataset) {
  if (!dataset.is_chunked()) return most_sampled_blocks;
  return std::clamp(most_chunk_bytes / dataset.chunk_bytes(), least_blocks, most_sampled_blocks);
}

std::string digest_of_some(const Hdf5Dataset& dataset) {
  Sha256 digest;
  if (element_count(dataset.extents()) <= most_values_in_all) {
    add(dataset.read_all(), digest);
  } else {
    for (const Selection& block : sampled_blocks(dataset.extents(), most_blocks(dataset))) {
      std::vector<double> values(element_count(block.count));
      dataset.read(block, FileElement::fp64, values.data());
      add(values, digest);
    }
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
      if (!part.empty()) text += part + ", ";
    }
    std::error_code error;  // the size is -1 then
    return text + std::to_string(std::filesystem::file_size(file, error)) + " bytes";
  };
  return {{"the contents of " + option + " " + file, value_or_reason(read)}};
}

}  // namespace cnnplan
