// Defines index types that the compiler tells apart, so that no layer is taken for a buffer.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>

namespace cnnplan {

// Holds the place of an element among elements of one kind, which `Tag` names. An index becomes an
// int wherever one is needed. An int becomes an index only where the code says so.
template <typename Tag>
class TypedIndex {
 public:
  // Makes the index of no element, which equals -1.
  constexpr TypedIndex() = default;
  // @pre an int can hold `value`
  template <std::integral Value>
  constexpr explicit TypedIndex(Value value) : value_(static_cast<int>(value)) {}

  // NOLINTNEXTLINE(google-explicit-constructor): an index becomes an int by itself, as said above
  constexpr operator int() const { return value_; }
  explicit operator bool() const = delete;  // 0 is an index, too

  constexpr TypedIndex& operator++() { return *this = *this + 1; }
  constexpr TypedIndex& operator--() { return *this = *this - 1; }
  constexpr TypedIndex operator++(int) { return TypedIndex(value_++); }
  constexpr TypedIndex operator--(int) { return TypedIndex(value_--); }
  template <std::same_as<int> Offset>
  constexpr TypedIndex& operator+=(Offset offset) {
    return *this = *this + offset;
  }
  template <std::same_as<int> Offset>
  constexpr TypedIndex operator+(Offset offset) const {
    return TypedIndex(value_ + offset);
  }
  template <std::same_as<int> Offset>
  constexpr TypedIndex operator-(Offset offset) const {
    return TypedIndex(value_ - offset);
  }

  constexpr bool operator==(const TypedIndex&) const = default;
  constexpr auto operator<=>(const TypedIndex&) const = default;
  // Indices of different kinds cannot be compared.
  template <typename Other>
  bool operator==(TypedIndex<Other>) const = delete;
  template <typename Other>
  std::strong_ordering operator<=>(TypedIndex<Other>) const = delete;

 private:
  int value_ = -1;
};

}  // namespace cnnplan

template <typename Tag>
struct std::hash<cnnplan::TypedIndex<Tag>> {
  std::size_t operator()(cnnplan::TypedIndex<Tag> index) const noexcept {
    return std::hash<int>()(index);
  }
};
