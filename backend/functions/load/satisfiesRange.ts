type Version = [major: number, minor: number, patch: number]

/** Parts that are absent, or "x" and "*", are NaN. */
function parse(text: string): Version | null {
  const match = /^[v=]*(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(?:[-+].*)?$/.exec(text.trim())
  return match && [Number(match[1]), Number(match[2] ?? NaN), Number(match[3] ?? NaN)]
}

const filled = (v: Version, by = 0): Version => v.map((part) => (Number.isNaN(part) ? by : part)) as Version

const compare = (a: Version, b: Version): number => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]

/** The first version behind all that share the parts of `v` up to its `index`-th. */
function behind(v: Version, index: number): Version {
  const next: Version = [0, 0, 0]
  for (let i = 0; i <= index; i++) next[i] = v[i]!
  next[index]! += 1
  return next
}

const lastGiven = (v: Version): number => v.findLastIndex((part) => !Number.isNaN(part))

/** What `^`, `~` or a partial version lets in: from the first up to, but without, the second. */
function boundsOf(sign: string, v: Version): [Version, Version] {
  const low = filled(v)
  if (lastGiven(v) < 0) return [low, [Infinity, 0, 0]]
  if (sign === '~') return [low, behind(low, Math.min(1, lastGiven(v)))]
  if (sign === '^') {
    const first = low.findIndex((part) => part > 0)
    return [low, behind(low, Math.min(first < 0 ? 2 : first, lastGiven(v)))]
  }
  return [low, behind(low, lastGiven(v))]
}

function fits(version: Version, comparator: string): boolean {
  const [, sign = '', text = ''] = /^([<>]=?|[\^~=]?)\s*(.*)$/.exec(comparator) ?? []
  const wanted = parse(text)
  // A tag ("latest", "next") asks a registry; whatever is installed may be it.
  if (wanted === null) return true
  const [low, high] = boundsOf(sign, wanted)
  if (sign === '>=') return compare(version, low) >= 0
  if (sign === '>') return compare(version, high) >= 0
  if (sign === '<') return compare(version, low) < 0
  if (sign === '<=') return compare(version, high) < 0
  return compare(version, low) >= 0 && compare(version, high) < 0
}

/**
 * Whether an installed version ("2.119.0") is one that an npm range asks for: `^`, `~`, comparators, partial
 * versions, `a - b`, `||`. Marks of pre-releases are not compared.
 */
export function satisfiesRange(version: string, range: string): boolean {
  const installed = parse(version)
  if (installed === null) return true
  return range.split('||').some((part) =>
    part
      .replace(/(\S+)\s+-\s+(\S+)/, '>=$1 <=$2')
      .replace(/([<>=^~])\s+/g, '$1')
      .split(/[\s,]+/)
      .filter((comparator) => comparator !== '')
      .every((comparator) => fits(filled(installed), comparator)),
  )
}
