// Lists enumerators by name, for JSON, tables and the command line.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cnnplan {

// Enumerators<E>::all holds every enumerator of E in the order of its declaration. A header in the
// folder of E specialises this template.
template <typename E>
struct Enumerators;

// Returns the name of an enumerator, for code that does not know E. The folder of E has to_text.
template <typename E>
std::string_view name_of(E enumerator) {
  return to_text(enumerator);
}

// Returns every enumerator of E under its name.
template <typename E>
std::map<std::string, E> names_of() {
  std::map<std::string, E> names;
  for (E enumerator : Enumerators<E>::all) names.emplace(name_of(enumerator), enumerator);
  return names;
}

}  // namespace cnnplan
