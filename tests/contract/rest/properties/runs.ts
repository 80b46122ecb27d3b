const asked = Number(process.env.LINNET_RUNS ?? 1)
const times = Number.isFinite(asked) && asked > 0 ? asked : 1

/** How many cases a property is tried with: `n`, times LINNET_RUNS for a long look. */
export function runs(n: number): number {
  return Math.max(1, Math.round(n * times))
}

/** How long a property may take, in ms: ten times what it needs, since machines are busy; a long look takes longer. */
export const patience = 180_000 * Math.max(1, times)
