// Kinds of files and their schema numbers: which ones are written, and which ones are read.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace cnnplan {

enum class SchemaKind { network, platform, profile, plan, run, checkpoint };

// The kind that "schema" names: "cnnplan.<kind>/<number>" with a number that is read.
// @throws InputError
SchemaKind schema_kind(std::string_view json, const std::string& file);

// The number that files of a kind are written with. All smaller numbers are read as well.
int newest_schema(std::string_view kind);
// The number in "cnnplan.plan/1" for the kind "plan". There is none where the text names another
// kind, or a number that is not read.
std::optional<int> schema_number(std::string_view schema, std::string_view kind);
// "cnnplan.plan/2"
std::string schema_text(std::string_view kind, int number);
// All texts that are read: "cnnplan.plan/2" or "cnnplan.plan/1", with the quotation marks.
std::string schema_texts(std::string_view kind);

}  // namespace cnnplan
