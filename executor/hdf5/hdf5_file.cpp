// Opens files and creates datasets through the C interface of HDF5.
#include "executor/hdf5/hdf5_file.hpp"

#include <vector>

#include <hdf5.h>

#include "executor/hdf5/hdf5_check.hpp"
#include "executor/hdf5/hdf5_lock.hpp"
#include "executor/hdf5/hdf5_path.hpp"
#include "planner/base/readable_file.hpp"

namespace cnnplan {

Hdf5File Hdf5File::open(const std::string& file) {
  const auto lock = lock_hdf5();
  silence_hdf5();
  require_regular_file(file);
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  return {{hdf5_check(id, {.file = file, .what = "open"}), H5Fclose}, file};
}

Hdf5File Hdf5File::create(const std::string& file) {
  const auto lock = lock_hdf5();
  silence_hdf5();
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  return {{hdf5_check(id, {.file = file, .what = "create"}), H5Fclose}, file};
}

std::optional<Hdf5Dataset> Hdf5File::find(const std::string& name) const {
  const auto lock = lock_hdf5();
  const Hdf5Call call{.file = file_, .dataset = name, .what = "open"};
  const std::optional<std::string> place = place_inside(handle_.id(), call);
  if (!place) return std::nullopt;
  Hdf5Handle dataset = open_own_dataset(handle_.id(), *place, call);
  return Hdf5Dataset(std::move(dataset), file_, name);
}

Hdf5Dataset Hdf5File::create_dataset(const std::string& name,
                                     std::span<const std::int64_t> extents,
                                     Precision precision) {
  const auto lock = lock_hdf5();
  const Hdf5Call call{.file = file_, .dataset = name, .what = "create"};
  const std::vector<hsize_t> sizes(extents.begin(), extents.end());
  const Hdf5Handle space(
      hdf5_check(H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr), call),
      H5Sclose);
  const Hdf5Handle links(hdf5_check(H5Pcreate(H5P_LINK_CREATE), call), H5Pclose);
  hdf5_check(H5Pset_create_intermediate_group(links.id(), 1), call);
  const hid_t type = precision == Precision::fp64 ? H5T_IEEE_F64LE : H5T_IEEE_F32LE;
  const hid_t id = H5Dcreate2(
      handle_.id(), name.c_str(), type, space.id(), links.id(), H5P_DEFAULT, H5P_DEFAULT);
  return Hdf5Dataset(Hdf5Handle(hdf5_check(id, call), H5Dclose), file_, name);
}

void Hdf5File::write(const std::string& name,
                     std::span<const std::int64_t> extents,
                     std::span<const double> values,
                     Precision precision) {
  const Selection all{.start = std::vector<std::int64_t>(extents.size()),
                      .count = {extents.begin(), extents.end()}};
  Hdf5Dataset dataset = create_dataset(name, extents, precision);
  dataset.write(all, values);
  dataset.close();
}

void Hdf5File::close() {
  const auto lock = lock_hdf5();
  hdf5_check(handle_.reset(), {.file = file_, .what = "close"});
}

}  // namespace cnnplan
