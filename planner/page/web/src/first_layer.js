// Chooses the layer with which the picture of a cut begins.

const partsAlong = (mesh, axes) => mesh.filter(([axis]) => axes.includes(axis)).reduce((parts, [, size]) => parts * size, 1);

// Returns how much there is to see: halos first, then blocks of images, then channels, then a change of the split.
function interest(plan, layer) {
  const cut = plan.cuts[plan.layers[layer].cut];
  if (plan.explanation.layers[layer].halo_s > 0) return 4;
  if (partsAlong(cut.mesh, "dhw") > 1) return 3;
  if (partsAlong(cut.mesh, "c") > 1) return 2;
  return cut.inputs.some((input) => JSON.stringify(input.owner_mesh) !== JSON.stringify(cut.mesh)) ? 1 : 0;
}

// Of layers with equally much to see, the one that takes longest is returned.
export function firstLayer(plan) {
  const seconds = plan.explanation.layers.map((row) => row.total_s);
  const seen = plan.layers.map((_, layer) => interest(plan, layer));
  return seen.reduce((best, _, layer) =>
    (seen[layer] > seen[best] || (seen[layer] === seen[best] && seconds[layer] > seconds[best]) ? layer : best), 0);
}
