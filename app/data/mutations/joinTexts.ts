/**
 * A text that was changed at two places: `from` is the text before, `theirs` and `mine` those after. Contains all of both;
 * where they are not the same, mine follows theirs.
 */
export function joinTexts(from: string, theirs: string, mine: string): string {
  if (theirs === from || mine.includes(theirs)) return mine
  if (mine === from || theirs.includes(mine)) return theirs
  if (from !== '' && theirs.includes(from)) return theirs.replace(from, () => mine)
  return `${theirs}\n${mine}`
}
