// Reads and writes blocks of datasets through the C interface of HDF5.
#include "executor/hdf5/hdf5_dataset.hpp"

#include <numeric>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <hdf5.h>

#include "executor/hdf5/hdf5_check.hpp"
#include "executor/hdf5/hdf5_lock.hpp"
#include "planner/base/checked.hpp"
#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>, "Hdf5Handle holds 64-bit identifiers");

hid_t memory_type(FileElement element) {
  switch (element) {
    case FileElement::uint8:
      return H5T_NATIVE_UINT8;
    case FileElement::int32:
      return H5T_NATIVE_INT32;
    case FileElement::int64:
      return H5T_NATIVE_INT64;
    case FileElement::fp32:
      return H5T_NATIVE_FLOAT;
    case FileElement::fp64:
      return H5T_NATIVE_DOUBLE;
    case FileElement::other:
      break;
  }
  throw std::logic_error("element that cannot be read");
}

FileElement element_of(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  const std::size_t bytes = H5Tget_size(type);
  if (kind == H5T_FLOAT && bytes == 4) return FileElement::fp32;
  if (kind == H5T_FLOAT && bytes == 8) return FileElement::fp64;
  if (kind != H5T_INTEGER) return FileElement::other;
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  if (bytes == 1 && !is_signed) return FileElement::uint8;
  if (bytes == 4 && is_signed) return FileElement::int32;
  if (bytes == 8 && is_signed) return FileElement::int64;
  return FileElement::other;
}

std::vector<hsize_t> to_hsize(std::span<const std::int64_t> values) {
  return {values.begin(), values.end()};
}

}  // namespace

std::string to_text(FileElement element) {
  switch (element) {
    case FileElement::uint8:
      return "uint8";
    case FileElement::int32:
      return "int32";
    case FileElement::int64:
      return "int64";
    case FileElement::fp32:
      return "float32";
    case FileElement::fp64:
      return "float64";
    case FileElement::other:
      break;
  }
  return "another type";
}

std::size_t size_of(FileElement element) {
  switch (element) {
    case FileElement::uint8:
      return 1;
    case FileElement::int32:
    case FileElement::fp32:
      return 4;
    case FileElement::int64:
    case FileElement::fp64:
      return 8;
    case FileElement::other:
      break;
  }
  throw std::logic_error("element that cannot be read");
}

std::string extents_text(std::span<const std::int64_t> extents) {
  std::string text = "(";
  for (std::int64_t extent : extents) {
    if (text.size() > 1) text += ", ";
    text += std::to_string(extent);
  }
  return text + ")";
}

std::int64_t element_count(std::span<const std::int64_t> extents) {
  std::int64_t count = 1;
  for (std::int64_t extent : extents) count = checked_multiply(count, extent);
  return count;
}

Hdf5Dataset::Hdf5Dataset(Hdf5Handle handle, std::string file, std::string name)
    : handle_(std::move(handle)), file_(std::move(file)), name_(std::move(name)) {
  const auto lock = lock_hdf5();
  const Hdf5Call call{.file = file_, .dataset = name_, .what = "describe"};
  const Hdf5Handle type(hdf5_check(H5Dget_type(handle_.id()), call), H5Tclose);
  element_ = element_of(type.id());
  const Hdf5Handle space(hdf5_check(H5Dget_space(handle_.id()), call), H5Sclose);
  const int dims = hdf5_check(H5Sget_simple_extent_ndims(space.id()), call);
  std::vector<hsize_t> extents(dims);
  hdf5_check(H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr), call);
  extents_.assign(extents.begin(), extents.end());
  const Hdf5Handle properties(hdf5_check(H5Dget_create_plist(handle_.id()), call), H5Pclose);
  if (H5Pget_layout(properties.id()) != H5D_CHUNKED) return;
  std::vector<hsize_t> chunk(extents_.size());
  hdf5_check(H5Pget_chunk(properties.id(), static_cast<int>(chunk.size()), chunk.data()), call);
  chunk_bytes_ = std::accumulate(
      chunk.begin(),
      chunk.end(),
      static_cast<std::int64_t>(H5Tget_size(type.id())),
      [](std::int64_t bytes, hsize_t extent) { return bytes * static_cast<std::int64_t>(extent); });
}

void Hdf5Dataset::read_directly() {
  const auto lock = lock_hdf5();
  const Hdf5Call call{.file = file_, .dataset = name_, .what = "describe"};
  if (element_ == FileElement::other || extents_.empty()) return;
  const Hdf5Handle type(hdf5_check(H5Dget_type(handle_.id()), call), H5Tclose);
  const Hdf5Handle properties(hdf5_check(H5Dget_create_plist(handle_.id()), call), H5Pclose);
  const bool in_one_piece = H5Pget_layout(properties.id()) == H5D_CONTIGUOUS &&
                            H5Pget_external_count(properties.id()) == 0;
  const haddr_t offset = H5Dget_offset(handle_.id());
  if (!in_one_piece || offset == HADDR_UNDEF) return;
  if (H5Tequal(type.id(), memory_type(element_)) <= 0) return;
  direct_.emplace(ContiguousLayout{.file = file_,
                                   .dataset = name_,
                                   .offset = static_cast<std::int64_t>(offset),
                                   .element_bytes = static_cast<std::int64_t>(size_of(element_)),
                                   .extents = extents_});
}

void Hdf5Dataset::read(const Selection& selection, FileElement memory, void* out) const {
  if (direct_ && memory == element_ && direct_->suits(selection.count)) {
    return direct_->read(selection.start, selection.count, out);
  }
  const auto lock = lock_hdf5();
  const Hdf5Call call{.file = file_, .dataset = name_, .what = "read"};
  const Spaces spaces = select(selection, call);
  hdf5_check(H5Dread(handle_.id(),
                     memory_type(memory),
                     spaces.memory.id(),
                     spaces.file.id(),
                     H5P_DEFAULT,
                     out),
             call);
}

void Hdf5Dataset::write(const Selection& selection, std::span<const double> values) {
  if (element_count(selection.count) != std::ssize(values)) {
    throw std::logic_error(name_ + ": values do not fill " + extents_text(selection.count));
  }
  const auto lock = lock_hdf5();
  const Hdf5Call call{.file = file_, .dataset = name_, .what = "write"};
  const Spaces spaces = select(selection, call);
  hdf5_check(H5Dwrite(handle_.id(),
                      H5T_NATIVE_DOUBLE,
                      spaces.memory.id(),
                      spaces.file.id(),
                      H5P_DEFAULT,
                      values.data()),
             call);
}

void Hdf5Dataset::close() {
  const auto lock = lock_hdf5();
  hdf5_check(handle_.reset(), {.file = file_, .dataset = name_, .what = "close"});
}

Hdf5Dataset::Spaces Hdf5Dataset::select(const Selection& selection, const Hdf5Call& call) const {
  const std::vector<hsize_t> start = to_hsize(selection.start);
  const std::vector<hsize_t> count = to_hsize(selection.count);
  const int dims = static_cast<int>(count.size());
  Hdf5Handle file(hdf5_check(H5Dget_space(handle_.id()), call), H5Sclose);
  hdf5_check(
      H5Sselect_hyperslab(file.id(), H5S_SELECT_SET, start.data(), nullptr, count.data(), nullptr),
      call);
  Hdf5Handle memory(hdf5_check(H5Screate_simple(dims, count.data(), nullptr), call), H5Sclose);
  return {std::move(file), std::move(memory)};
}

std::vector<double> Hdf5Dataset::read_all() const {
  const auto lock = lock_hdf5();
  std::vector<double> values(element_count(extents_));
  hdf5_check(H5Dread(handle_.id(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
             {.file = file_, .dataset = name_, .what = "read"});
  return values;
}

std::optional<std::vector<double>> Hdf5Dataset::attribute(const std::string& name) const {
  const auto lock = lock_hdf5();
  const Hdf5Call call{.file = file_, .dataset = name_, .what = "read an attribute of"};
  if (hdf5_check(H5Aexists(handle_.id(), name.c_str()), call) == 0) return std::nullopt;
  const Hdf5Handle id(hdf5_check(H5Aopen(handle_.id(), name.c_str(), H5P_DEFAULT), call), H5Aclose);
  const Hdf5Handle space(hdf5_check(H5Aget_space(id.id()), call), H5Sclose);
  const hssize_t points = hdf5_check(H5Sget_simple_extent_npoints(space.id()), call);
  const Hdf5Handle type(hdf5_check(H5Aget_type(id.id()), call), H5Tclose);
  const H5T_class_t kind = H5Tget_class(type.id());
  if (points < 1 || (kind != H5T_INTEGER && kind != H5T_FLOAT)) {
    throw InputError({.file = file_,
                      .pointer = name_ + "/" + name,
                      .value = points < 1 ? "no values" : "values that are no numbers",
                      .allowed = "integers or floating-point numbers"});
  }
  std::vector<double> values(points);
  hdf5_check(H5Aread(id.id(), H5T_NATIVE_DOUBLE, values.data()), call);
  return values;
}

}  // namespace cnnplan
