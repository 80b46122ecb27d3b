/** Of a file, in UTF-16 code units. */
export const maxText = 100_000
const minPassage = 150
const maxPassage = 250

/**
 * Splits a text into passages of about 200 characters, each on one line, that end between words where they can. Only the
 * first 100,000 characters count.
 */
export function splitPassages(text: string): string[] {
  const passages: string[] = []
  let rest = text
    .slice(0, maxText)
    .replaceAll(/[\s\p{Cc}\p{Cs}\ufeff]+/gu, ' ')
    .trim()
  while (rest.length > maxPassage) {
    const end = endOfPassage(rest)
    passages.push(rest.slice(0, end).trimEnd())
    rest = rest.slice(end).trimStart()
  }
  return rest === '' ? passages : [...passages, rest]
}

/** After the last separator of the longest passage, else where no character is divided. */
function endOfPassage(text: string): number {
  const longest = text.slice(0, maxPassage + 1)
  for (const separator of [/.*[.!?。！？] /su, /.* /su, /.*[\p{P}\p{Z}]/su]) {
    const end = separator.exec(longest)?.[0].length ?? 0
    if (end > minPassage) return end
  }
  const lead = longest.charCodeAt(maxPassage - 1)
  return lead >= 0xd800 && lead <= 0xdbff ? maxPassage - 1 : maxPassage
}
