import { operations, type Operation, type Sample } from './members.ts'

/** Milliseconds of one operation. */
export interface Times {
  p50: number
  p99: number
  failed: number
}

function timesOf(samples: Sample[]): Times {
  const sorted = samples.map(({ ms }) => ms).toSorted((a, b) => a - b)
  const quantile = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return {
    p50: quantile(0.5),
    p99: quantile(0.99),
    failed: samples.filter(({ isDone }) => !isDone).length,
  }
}

/** Of what began from `from` until `until`, by operation. */
export function summarize(samples: Sample[], from: number, until: number): Record<Operation, Times> {
  const within = samples.filter(({ at }) => at >= from && at < until)
  return Object.fromEntries(
    operations.map((name) => [name, timesOf(within.filter(({ operation }) => operation === name))]),
  ) as Record<Operation, Times>
}

const windowMs = 500
const stepMs = 50

/**
 * How long after `from` members are served as without an attack: until the first half second in which nothing fails and
 * 9 of 10 of each operation take at most `marginMs` more than 99 of 100 took before it. Null where there is none.
 */
export function recoveryOf(
  samples: Sample[],
  from: number,
  normal: Record<Operation, Times>,
  marginMs: number,
): number | null {
  const last = Math.max(...samples.map(({ at }) => at))
  for (let start = from; start + windowMs <= last + stepMs; start += stepMs) {
    const within = samples.filter(({ at }) => at >= start && at < start + windowMs)
    const isNormal = operations.every((name) => {
      const own = within.filter(({ operation }) => operation === name)
      const slow = own.filter(({ ms }) => ms > normal[name].p99 + marginMs)
      return own.length > 0 && own.every(({ isDone }) => isDone) && slow.length <= own.length / 10
    })
    if (isNormal) return start - from
  }
  return null
}
