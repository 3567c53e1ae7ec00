// Reads and writes chains, which files name by their first and last layers.
#include "planner/plan/multigrid_json.hpp"

#include <nlohmann/json.hpp>

#include "planner/kernel/kernel.hpp"
#include "planner/network/enumerators.hpp"

namespace cnnplan {
namespace {

constexpr IntegerRange coarsening_range{.minimum = 2, .maximum = max_coarsening};
constexpr IntegerRange levels_range{.minimum = 2, .maximum = max_levels};
constexpr IntegerRange cycles_range{.minimum = 1, .maximum = max_cycles};
constexpr IntegerRange concurrency_range{.minimum = 1, .maximum = max_concurrency};

LayerIndex read_layer(const JsonReader& reader, const Network& network) {
  const std::optional<LayerIndex> layer = network.index_of(reader.name());
  if (!layer) reader.refuse("a layer of the network");
  return *layer;
}

Multigrid read_chain(const JsonReader& reader, const Network& network) {
  reader.allow_keys({"first",
                     "last",
                     "coarsening",
                     "levels",
                     "cycles",
                     "relaxation",
                     "first_guess",
                     "concurrency"});
  Multigrid chain{.first = read_layer(reader.at("first"), network),
                  .last = read_layer(reader.at("last"), network)};
  reader.read("coarsening", chain.coarsening, coarsening_range);
  reader.read("levels", chain.levels, levels_range);
  reader.read("cycles", chain.cycles, cycles_range);
  reader.read_enumerator("relaxation", chain.relaxation);
  reader.read_enumerator("first_guess", chain.first_guess);
  reader.read("concurrency", chain.concurrency, concurrency_range);
  return chain;
}

}  // namespace

std::vector<Multigrid> read_multigrid(const JsonReader& root, const Network& network) {
  std::vector<Multigrid> chains;
  if (!root.has("multigrid")) return chains;
  for (const JsonReader& entry : root.at("multigrid").entries()) {
    chains.push_back(read_chain(entry, network));
  }
  return chains;
}

nlohmann::ordered_json to_ordered_json(const std::vector<Multigrid>& chains,
                                       const Network& network) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Multigrid& chain : chains) {
    list.push_back({{"first", network.layer(chain.first).name},
                    {"last", network.layer(chain.last).name},
                    {"coarsening", chain.coarsening},
                    {"levels", chain.levels},
                    {"cycles", chain.cycles},
                    {"relaxation", to_text(chain.relaxation)},
                    {"first_guess", to_text(chain.first_guess)},
                    {"concurrency", chain.concurrency}});
  }
  return list;
}

}  // namespace cnnplan
