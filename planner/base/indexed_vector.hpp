// Defines a vector whose elements are found by an index type, such as the operations of a schedule.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace cnnplan {

// Holds the indices 0 to end - 1, for range-based loops. It takes the place of std::views::iota,
// whose version in GCC 12 does not compile with Clang 14.
template <typename I>
class IndexRange {
 public:
  class Iterator {
   public:
    constexpr explicit Iterator(I index) : index_(index) {}
    constexpr I operator*() const { return index_; }
    constexpr Iterator& operator++() {
      ++index_;
      return *this;
    }
    constexpr bool operator==(const Iterator&) const = default;

   private:
    I index_;
  };

  constexpr explicit IndexRange(I end) : end_(end) {}
  constexpr Iterator begin() const { return Iterator(I(0)); }
  constexpr Iterator end() const { return Iterator(end_); }

 private:
  I end_;
};

// Works as std::vector<T>, except that only an `I` is an index. `I` is a TypedIndex.
template <typename I, typename T>
class IndexedVector : private std::vector<T> {
  using Base = std::vector<T>;

 public:
  using typename Base::const_reference, typename Base::reference, typename Base::value_type;

  using Base::Base;
  using Base::begin, Base::end, Base::rbegin, Base::rend, Base::data, Base::front, Base::back;
  using Base::empty, Base::size, Base::clear, Base::reserve, Base::assign, Base::resize,
      Base::pop_back;

  // Takes elements that were collected without indices.
  explicit IndexedVector(std::vector<T> elements) : Base(std::move(elements)) {}
  // Returns the elements without their index type, for code that reorders or inserts them.
  const std::vector<T>& elements() const { return *this; }

  reference operator[](I index) { return Base::operator[](index); }
  const_reference operator[](I index) const { return Base::operator[](index); }
  // @throws std::out_of_range
  reference at(I index) { return Base::at(index); }
  const_reference at(I index) const { return Base::at(index); }

  // Both functions append an element and return its index.
  I push_back(const T& value) {
    Base::push_back(value);
    return last_index();
  }
  I push_back(T&& value) {
    Base::push_back(std::move(value));
    return last_index();
  }
  // These functions return the index of the last element and the index after it. The last index of
  // an empty vector is the index of no element.
  I last_index() const { return I(size() - 1); }
  I end_index() const { return I(size()); }
  // Returns all indices, in order.
  IndexRange<I> indices() const { return IndexRange<I>(end_index()); }

  bool operator==(const IndexedVector&) const = default;
};

}  // namespace cnnplan
