// Owns one HDF5 identifier and closes it.
#pragma once

#include <cstdint>
#include <utility>

#include "executor/hdf5/hdf5_lock.hpp"

namespace cnnplan {

// Owns an identifier, and can be moved but not copied. `close` is the HDF5 function that releases
// the identifier, such as H5Dclose. It runs under lock_hdf5().
class Hdf5Handle {
 public:
  using Close = int (*)(std::int64_t);

  Hdf5Handle() = default;
  Hdf5Handle(std::int64_t id, Close close) : id_(id), close_(close) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, none)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { reset(); }

  std::int64_t id() const { return id_; }
  // Closes the identifier. Returns the result of the close function, or 0 when there was nothing to
  // close.
  int reset() {
    if (id_ == none) return 0;
    const auto lock = lock_hdf5();
    return close_(std::exchange(id_, none));
  }

 private:
  static constexpr std::int64_t none = -1;
  std::int64_t id_ = none;
  Close close_ = nullptr;
};

}  // namespace cnnplan
