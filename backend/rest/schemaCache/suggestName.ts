/**
 * The name most similar to `target`, or null if none has at least `minSimilarity` (1 is equal). Limited to 500
 * characters and the first 1,000 names.
 */
export function suggestName(target: string, names: Iterable<string>, minSimilarity = 0.75): string | null {
  if (target.length > 500) return null
  let best: string | null = null
  let bestScore = minSimilarity
  let compared = 0
  for (const name of names) {
    if (++compared > 1000) return best
    const longest = Math.max(name.length, target.length)
    if (Math.abs(name.length - target.length) > longest * (1 - bestScore)) continue
    const score = 1 - distance(name.toLowerCase(), target.toLowerCase()) / longest
    if (score >= bestScore && name !== target) {
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
