/**
 * The name most like `wanted`, or null where none is at least `least` alike (1 is equal). Only the few
 * best known names are worth comparing: past 500 characters or 1,000 names nothing is suggested.
 */
export function suggestName(wanted: string, names: Iterable<string>, least = 0.75): string | null {
  if (wanted.length > 500) return null
  let best: string | null = null
  let bestScore = least
  let compared = 0
  for (const name of names) {
    if (++compared > 1000) return best
    const longest = Math.max(name.length, wanted.length)
    if (Math.abs(name.length - wanted.length) > longest * (1 - bestScore)) continue
    const score = 1 - distance(name.toLowerCase(), wanted.toLowerCase()) / longest
    if (score >= bestScore && name !== wanted) {
      best = name
      bestScore = score
    }
  }
  return best
}

/** Levenshtein's edit distance, one row at a time. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1))
    }
    previous = row
  }
  return previous[b.length]!
}
