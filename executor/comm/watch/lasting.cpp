// Keeps each value in a set that is never destroyed.
#include "executor/comm/watch/lasting.hpp"

#include <mutex>
#include <set>

namespace cnnplan {
namespace {

template <typename Value>
const Value& kept(const Value& value) {
  static std::mutex mutex;
  static auto* const values = new std::set<Value>;  // NOLINT(cppcoreguidelines-owning-memory)
  const std::scoped_lock lock(mutex);
  return *values->insert(value).first;
}

}  // namespace

const std::string& lasting(const std::string& text) {
  return kept(text);
}

const RankList& lasting(const RankList& ranks) {
  return kept(ranks);
}

}  // namespace cnnplan
