// Writes test files with plain HDF5 calls, independent of the code under test.
#include "tests/executor/hdf5/hdf5_fixture.hpp"

#include <cstdlib>
#include <stdexcept>

#include <hdf5.h>
#include <unistd.h>

namespace cnnplan {
namespace {

void require(std::int64_t status) {
  if (status < 0) throw std::runtime_error("cannot write a test file");
}

hid_t stored_type(FileElement element) {
  switch (element) {
    case FileElement::uint8:
      return H5T_STD_U8LE;
    case FileElement::int32:
      return H5T_STD_I32LE;
    case FileElement::int64:
      return H5T_STD_I64LE;
    case FileElement::fp32:
      return H5T_IEEE_F32LE;
    case FileElement::fp64:
      return H5T_IEEE_F64LE;
    case FileElement::other:
      break;
  }
  return H5T_STD_I16LE;
}

void write_attribute(hid_t dataset, const TestAttribute& attribute) {
  const bool is_text = attribute.values.empty();
  const hsize_t count = is_text ? 1 : attribute.values.size();
  const hid_t space = H5Screate_simple(1, &count, nullptr);
  const hid_t type = is_text ? H5T_C_S1 : H5T_IEEE_F64LE;
  const hid_t id =
      H5Acreate2(dataset, attribute.name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (is_text) {
    require(H5Awrite(id, type, "0"));
  } else {
    require(H5Awrite(id, H5T_NATIVE_DOUBLE, attribute.values.data()));
  }
  H5Aclose(id);
  H5Sclose(space);
}

void write_dataset(hid_t file, const TestDataset& dataset) {
  const std::vector<hsize_t> extents(dataset.extents.begin(), dataset.extents.end());
  const hid_t space = H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  const hid_t id = H5Dcreate2(file,
                              dataset.name.c_str(),
                              stored_type(dataset.element),
                              space,
                              H5P_DEFAULT,
                              H5P_DEFAULT,
                              H5P_DEFAULT);
  require(id);
  require(H5Dwrite(id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, dataset.values.data()));
  for (const TestAttribute& attribute : dataset.attributes) write_attribute(id, attribute);
  H5Dclose(id);
  H5Sclose(space);
}

std::string make_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "cnnplan-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("cannot make " + pattern);
  return pattern;
}

}  // namespace

SharedFolder::SharedFolder(const Communicator& communicator)
    : communicator_(communicator),
      folder_(communicator.broadcast(communicator.rank() == 0 ? make_folder() : "", 0)) {}

SharedFolder::~SharedFolder() {
  communicator_.barrier();
  std::error_code ignored;
  if (communicator_.rank() == 0) std::filesystem::remove_all(folder_, ignored);
}

void write_datasets(const std::string& file, std::span<const TestDataset> datasets) {
  const hid_t id = H5Fcreate(file.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  require(id);
  for (const TestDataset& dataset : datasets) write_dataset(id, dataset);
  require(H5Fclose(id));
}

void link_dataset_elsewhere(const std::string& file,
                            const std::string& dataset,
                            const std::string& other) {
  const char* const name = dataset.c_str();
  const hid_t id = H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  require(id);
  require(H5Ldelete(id, name, H5P_DEFAULT));
  require(H5Lcreate_external(other.c_str(), name, id, name, H5P_DEFAULT, H5P_DEFAULT));
  require(H5Fclose(id));
}

}  // namespace cnnplan
