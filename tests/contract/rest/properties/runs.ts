const asked = Number(process.env.LINNET_RUNS ?? 1)
const times = Number.isFinite(asked) && asked > 0 ? asked : 1

/** Number of cases of a property: `n`, times LINNET_RUNS. */
export function runs(n: number): number {
  return Math.max(1, Math.round(n * times))
}

/** Timeout of a property in ms, ten times its usual duration. */
export const patience = 180_000 * Math.max(1, times)
