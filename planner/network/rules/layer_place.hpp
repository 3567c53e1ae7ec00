// Names the place of a problem in a network file.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "planner/base/error.hpp"
#include "planner/network/rules/layer_index.hpp"

namespace cnnplan {

// Names a layer of `file`. The JSON pointer "/layers/<layer>/<key>" leads to the problem.
struct LayerPlace {
  std::string file;
  LayerIndex layer;

  // Reports a wrong value of the layer's `key`, or of the whole layer if the key is empty.
  // `allowed` says in words what may stand there. @throws InputError
  [[noreturn]] void refuse(const std::string& key, std::string value, std::string allowed) const {
    throw InputError(
        {.file = file,
         .pointer = "/layers/" + std::to_string(layer) + (key.empty() ? "" : "/" + key),
         .value = std::move(value),
         .allowed = std::move(allowed)});
  }
  // Reports a wrong value as refuse() does, unless the condition `holds`. @throws InputError
  void require(bool holds,
               const std::string& key,
               std::int64_t value,
               const std::string& allowed) const {
    if (!holds) refuse(key, std::to_string(value), allowed);
  }
};

}  // namespace cnnplan
