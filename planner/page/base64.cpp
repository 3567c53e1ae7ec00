// Takes six bits for each letter.
#include "planner/page/base64.hpp"

#include <cstddef>
#include <cstdint>

namespace cnnplan {

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t group = 3;  // bytes that become four letters
  constexpr std::uint32_t six_bits = 0x3f;
  std::string text;
  text.reserve((bytes.size() + group - 1) / group * 4);
  for (std::size_t i = 0; i < bytes.size(); i += group) {
    const std::size_t count = bytes.size() - i < group ? bytes.size() - i : group;
    std::uint32_t bits = 0;
    for (std::size_t j = 0; j < group; ++j) {
      bits = bits << 8U | (j < count ? static_cast<unsigned char>(bytes[i + j]) : 0U);
    }
    for (std::size_t j = 0; j <= group; ++j) {
      text += j <= count ? letters[bits >> (18U - 6U * j) & six_bits] : '=';
    }
  }
  return text;
}

}  // namespace cnnplan
