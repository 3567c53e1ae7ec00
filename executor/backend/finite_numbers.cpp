// Looks at exponents only. Whole numbers are compared by vectors at any optimisation, and no sum
// can overflow.
#include "executor/backend/finite_numbers.hpp"

#include <cstring>
#include <stdexcept>

namespace cnnplan {
namespace {

// Exponents of numbers that are not finite have all bits set.
template <typename Word>
bool are_below(const void* memory, std::int64_t count, Word exponent) {
  const auto* const bytes = static_cast<const char*>(memory);
  Word found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Word word = 0;
    std::memcpy(&word, bytes + i * static_cast<std::int64_t>(sizeof(Word)), sizeof(Word));
    found |= static_cast<Word>((word & exponent) == exponent ? 1 : 0);
  }
  return found == 0;
}

}  // namespace

bool are_finite(ElementType element, const void* memory, std::int64_t count) {
  switch (element) {
    case ElementType::fp32:
      return are_below<std::uint32_t>(memory, count, 0x7f800000U);
    case ElementType::fp64:
      return are_below<std::uint64_t>(memory, count, 0x7ff0000000000000U);
    case ElementType::bf16:
      return are_below<std::uint16_t>(memory, count, 0x7f80U);
    case ElementType::fp16:
      return are_below<std::uint16_t>(memory, count, 0x7c00U);
  }
  throw std::logic_error("unknown element");
}

}  // namespace cnnplan
