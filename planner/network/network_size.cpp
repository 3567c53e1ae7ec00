// Reads input sizes as users write them, and changes the input size of a network.
#include <algorithm>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/network/network.hpp"

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
  return {sizes.size() == 3 ? sizes[0] : 0, sizes[sizes.size() - 2], sizes.back()};
}

Network with_input_size(const Network& network, const std::array<std::int64_t, 3>& size) {
  std::vector<Layer> layers = network.layers().elements();
  for (Layer& layer : layers) {
    auto* input = std::get_if<Input>(&layer.parameters);
    if (input == nullptr) continue;
    if (size[0] > 1 && input->size[0] == 1) {
      throw InputError({.file = "--input",
                        .pointer = "",
                        .value = "three sizes, " + std::to_string(size[0]) + " first",
                        .allowed = "HxW for the network " + network.name() +
                                   ", which has no depth; its file tells the channels"});
    }
    const std::int64_t depth = size[0] == 0 ? input->size[0] : size[0];
    input->size = {depth, size[1], size[2]};
  }
  return Network(
      network.name(), std::move(layers), "network " + network.name() + " at this input size");
}

}  // namespace cnnplan
