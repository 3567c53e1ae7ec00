// Image sizes as users write them.
#include <algorithm>

#include "planner/model/error.hpp"
#include "planner/model/network.hpp"

namespace cnnplan {

std::array<std::int64_t, 3> parse_size(const std::string& text) {
  std::vector<std::int64_t> sizes;
  std::size_t position = 0;
  while (position <= text.size()) {
    const std::size_t end = std::min(text.find('x', position), text.size());
    const std::string number = text.substr(position, end - position);
    const bool digits = !number.empty() && number.size() <= 9 &&
                        number.find_first_not_of("0123456789") == std::string::npos;
    sizes.push_back(digits ? std::stoll(number) : 0);
    position = end + 1;
  }
  const bool positive = std::all_of(sizes.begin(), sizes.end(), [](auto size) { return size > 0; });
  if (!positive || sizes.size() < 2 || sizes.size() > 3) {
    throw InputError({.file = "--input",
                      .pointer = "",
                      .value = '"' + text + '"',
                      .allowed = "HxW or DxHxW with sizes from 1 to 999999999, such as 512x512"});
  }
  return {sizes.size() == 3 ? sizes[0] : 1, sizes[sizes.size() - 2], sizes.back()};
}

}  // namespace cnnplan
