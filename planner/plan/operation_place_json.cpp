// Reads and writes places. Only operations that serve a gradient bucket have no layer.
#include "planner/plan/operation_place_json.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace cnnplan {
namespace {

constexpr IntegerRange level_range{.minimum = 0, .maximum = 16};

}  // namespace

OperationPlace read_operation_place(const JsonReader& reader, int schema) {
  OperationPlace place;
  const bool has_part = schema > 1 || reader.has("part");
  if (has_part) place.part = reader.at("part").enumerator<OperationPart>();
  if (reader.has("layer")) place.layer = reader.at("layer").name();
  if (reader.has("level")) place.level = reader.at("level").integer<int>(level_range);
  if (!has_part) return place;
  const bool serves = serves_bucket(*place.part);
  if (serves && reader.has("layer")) {
    reader.at("layer").refuse("no layer, as the operation serves a gradient bucket");
  }
  if (!serves) reader.at("layer").name();
  return place;
}

void add_operation_place(const OperationPlace& place, nlohmann::ordered_json& operation) {
  if (!place.layer.empty()) operation["layer"] = place.layer;
  if (place.part) operation["part"] = to_text(*place.part);
  if (place.level) operation["level"] = *place.level;
}

}  // namespace cnnplan
