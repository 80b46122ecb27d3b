/** A text in Markdown as one line, without what spoilers hide. */
export function plainLine(text: string): string {
  return text
    .replaceAll(/\|\|[\s\S]+?\|\|/g, '…')
    .replaceAll(/```\w*\n?|`/g, '')
    .replaceAll(/!?\[([^\]\n]*)\]\(<?[^)\s]*>?\)/g, '$1')
    .replaceAll(/\*\*|~~|__/g, '')
    .replaceAll(/^\s*(?:>|#{1,6}\s|[-*+]\s(?:\[[ x]\]\s)?)\s*/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
}
