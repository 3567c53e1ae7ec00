// Looks at each link before HDF5 follows it, because HDF5 opens the file behind an external link.
#include "executor/hdf5/hdf5_path.hpp"

#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include <hdf5.h>

#include "planner/base/error.hpp"

namespace cnnplan {
namespace {

// HDF5 itself gives up after fewer links.
constexpr int most_soft_links = 64;

[[noreturn]] void refuse(const Hdf5Call& call, const std::string& value) {
  throw InputError({.file = std::string(call.file),
                    .pointer = std::string(call.dataset),
                    .value = value,
                    .allowed = "a dataset that lies in this file itself"});
}

// Returns the components of a path. HDF5 ignores empty ones and ".".
std::deque<std::string> components_of(std::string_view path) {
  std::deque<std::string> components;
  while (!path.empty()) {
    const std::size_t slash = std::min(path.find('/'), path.size());
    const std::string_view component = path.substr(0, slash);
    if (!component.empty() && component != ".") components.emplace_back(component);
    path.remove_prefix(std::min(slash + 1, path.size()));
  }
  return components;
}

// Returns the value of a soft or external link, which HDF5 may end with zeros.
std::vector<char> value_of(std::int64_t file,
                           const std::string& link,
                           const H5L_info_t& info,
                           const Hdf5Call& call) {
  std::vector<char> value(info.u.val_size + 1);
  hdf5_check(H5Lget_val(file, link.c_str(), value.data(), info.u.val_size, H5P_DEFAULT), call);
  return value;
}

[[noreturn]] void refuse_external(const std::vector<char>& value,
                                  const std::string& link,
                                  const Hdf5Call& call) {
  const char* target = "";
  const bool is_readable =
      H5Lunpack_elink_val(value.data(), value.size() - 1, nullptr, &target, nullptr) >= 0;
  refuse(call,
         "the external link " + link + (is_readable ? " to file " + std::string(target) : ""));
}

}  // namespace

std::optional<std::string> place_inside(std::int64_t file, const Hdf5Call& call) {
  std::deque<std::string> left = components_of(call.dataset);
  std::string place;  // a path of hard links
  int soft_links = 0;
  while (!left.empty()) {
    const std::string link = place + '/' + left.front();
    left.pop_front();
    if (H5Lexists(file, link.c_str(), H5P_DEFAULT) <= 0) return std::nullopt;
    H5L_info_t info;
    hdf5_check(H5Lget_info(file, link.c_str(), &info, H5P_DEFAULT), call);
    if (info.type == H5L_TYPE_HARD) {
      place = link;
      continue;
    }
    const std::vector<char> value = value_of(file, link, info, call);
    if (info.type == H5L_TYPE_EXTERNAL) refuse_external(value, link, call);
    if (info.type != H5L_TYPE_SOFT) refuse(call, "the link " + link + " of a kind of its own");
    if (++soft_links > most_soft_links) refuse(call, "soft links that lead in a circle");
    const std::deque<std::string> target = components_of(value.data());
    left.insert(left.begin(), target.begin(), target.end());
    if (value.front() == '/') place.clear();
  }
  return place.empty() ? "/" : place;
}

Hdf5Handle open_own_dataset(std::int64_t file, const std::string& place, const Hdf5Call& call) {
  Hdf5Handle object(hdf5_check(H5Oopen(file, place.c_str(), H5P_DEFAULT), call), H5Oclose);
  if (H5Iget_type(object.id()) != H5I_DATASET) refuse(call, "no dataset, but a group or a type");
  const Hdf5Handle properties(hdf5_check(H5Dget_create_plist(object.id()), call), H5Pclose);
  if (hdf5_check(H5Pget_layout(properties.id()), call) == H5D_VIRTUAL) {
    refuse(call, "a virtual dataset, whose elements come from other datasets");
  }
  if (hdf5_check(H5Pget_external_count(properties.id()), call) > 0) {
    refuse(call, "a dataset whose elements are in other files (external storage)");
  }
  return object;
}

}  // namespace cnnplan
