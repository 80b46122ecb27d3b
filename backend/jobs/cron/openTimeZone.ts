const minuteMs = 60_000
const dayMs = 86_400_000

/** The offsets of a time zone around a day: `before` until `at`, `after` from then on; equal if there is no change. */
export interface ZoneOffsets {
  /** Milliseconds to add to UTC. */
  before: number
  after: number
  /** The instant of the change; -Infinity if there is none. */
  at: number
}

/** The offsets of one time zone, from the time zone data of this system. */
export interface TimeZone {
  /** Milliseconds to add to UTC at an instant. */
  offsetAt(instant: number): number
  /** The offsets of a day and its neighbours, with at most one change. @param day midnight, as if in UTC */
  offsetsAround(day: number): ZoneOffsets
}

/** @param name of the IANA database. Throws RangeError if it is unknown. */
export function openTimeZone(name: string): TimeZone {
  // PostgreSQL accepts the name GMT, Intl does not.
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name === 'GMT' ? 'UTC' : name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const cache = new Map<number, ZoneOffsets>()

  const offsetAt = (instant: number): number => {
    const [month, day, year, hour, minute, second] = format.format(instant).match(/\d+/g)!.map(Number)
    return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - Math.floor(instant / 1000) * 1000
  }

  const findTransition = (day: number): ZoneOffsets => {
    let low = day - 2 * dayMs
    let high = day + 3 * dayMs
    const before = offsetAt(low)
    const after = offsetAt(high)
    if (before === after) return { before, after, at: -Infinity }
    while (high - low > minuteMs) {
      const middle = low + Math.floor((high - low) / 2 / minuteMs) * minuteMs
      if (offsetAt(middle) === before) low = middle
      else high = middle
    }
    return { before, after, at: high }
  }

  return {
    offsetAt,
    offsetsAround(day) {
      const offsets = cache.get(day) ?? findTransition(day)
      if (cache.size > 1000) cache.clear()
      cache.set(day, offsets)
      return offsets
    },
  }
}
