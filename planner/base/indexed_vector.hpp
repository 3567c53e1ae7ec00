// Defines a vector whose elements are found by an index type, such as the operations of a schedule.
#pragma once

#include <cstddef>
#include <ranges>
#include <utility>
#include <vector>

namespace cnnplan {

// Works as std::vector<T>, except that only an `I` is an index. `I` is a TypedIndex.
template <typename I, typename T>
class IndexedVector : private std::vector<T> {
  using Base = std::vector<T>;

 public:
  using typename Base::const_reference, typename Base::reference, typename Base::value_type;

  using Base::Base;
  using Base::begin, Base::end, Base::rbegin, Base::rend, Base::data, Base::front, Base::back;
  using Base::empty, Base::size, Base::clear, Base::reserve;

  reference operator[](I index) { return Base::operator[](index); }
  const_reference operator[](I index) const { return Base::operator[](index); }
  // @throws std::out_of_range
  reference at(I index) { return Base::at(index); }
  const_reference at(I index) const { return Base::at(index); }

  // Appends an element and returns its index.
  I push_back(T value) {
    Base::push_back(std::move(value));
    return last_index();
  }
  // Return the index of the last element and the index after it. The last element of none is none.
  I last_index() const { return I(size() - 1); }
  I end_index() const { return I(size()); }
  // Returns all indices, in order.
  auto indices() const { return std::views::iota(I(0), end_index()); }

  bool operator==(const IndexedVector&) const = default;
};

}  // namespace cnnplan
