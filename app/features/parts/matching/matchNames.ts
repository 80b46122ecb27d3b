const diacritics = /\p{M}/gu

/** Lower case without diacritics, so that "tomas" finds "Tomás". */
export function foldText(text: string): string {
  return text.normalize('NFD').replaceAll(diacritics, '').toLocaleLowerCase()
}

/**
 * Those of which a word of the name starts with the query; matches of the first word come first. Within both groups the
 * order is kept.
 */
export function matchNames<P extends { name: string }>(named: readonly P[], query: string, max = 8): P[] {
  const folded = foldText(query)
  const starts: P[] = []
  const others: P[] = []
  for (const one of named) {
    const name = foldText(one.name)
    if (name.startsWith(folded)) starts.push(one)
    else if (name.split(/[\s\-_(]+/).some((word) => word.startsWith(folded))) others.push(one)
  }
  return [...starts, ...others].slice(0, max)
}
