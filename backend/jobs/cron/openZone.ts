const minuteMs = 60_000
const dayMs = 86_400_000

/** How a zone's clocks stand around a day: `before` until `at`, `after` from then on; the same where nothing changes. */
export interface ZoneOffsets {
  /** Milliseconds to add to UTC. */
  before: number
  after: number
  /** The instant of the change; -Infinity where there is none. */
  at: number
}

/** Tells the offsets of one time zone, by the tables of this system. */
export interface Zone {
  /** Milliseconds to add to UTC at an instant. */
  offsetAt(instant: number): number
  /** What holds for a day and its neighbours; at most one change is looked for. @param day midnight, as if in UTC */
  around(day: number): ZoneOffsets
}

/** @param name as in the IANA tables. Throws RangeError where there is none such. */
export function openZone(name: string): Zone {
  // PostgreSQL knows it by that name, Intl does not.
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
  const known = new Map<number, ZoneOffsets>()

  const offsetAt = (instant: number): number => {
    const [month, day, year, hour, minute, second] = format.format(instant).match(/\d+/g)!.map(Number)
    return Date.UTC(year!, month! - 1, day!, hour!, minute!, second!) - Math.floor(instant / 1000) * 1000
  }

  const lookAround = (day: number): ZoneOffsets => {
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
    around(day) {
      const found = known.get(day) ?? lookAround(day)
      if (known.size > 1000) known.clear()
      known.set(day, found)
      return found
    },
  }
}
