/** How many letters one must change, add, leave out or swap with the adjacent one to make `b` of `a`. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let least = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        least = Math.min(least, beforeLast[j - 2]! + 1)
      }
      row.push(least)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]!
}

/** The name that `typed` is most likely a misspelling of, or null if none is similar. */
export function nearestName(typed: string, names: Iterable<string>): string | null {
  let nearest: string | null = null
  // Up to a third of the letters may be wrong; beyond that it is another name.
  let least = Math.max(1, Math.floor(typed.length / 3)) + 1
  for (const name of names) {
    const far = distance(typed.toLowerCase(), name.toLowerCase())
    if (far < least) [nearest, least] = [name, far]
  }
  return nearest
}
