// Which kind of file a JSON text says it is.
#pragma once

#include <string>
#include <string_view>

namespace cnnplan {

enum class SchemaKind { network, platform, profile, plan, run, checkpoint };

// By "schema": "cnnplan.<kind>/1". @throws InputError
SchemaKind schema_kind(std::string_view json, const std::string& file);

}  // namespace cnnplan
