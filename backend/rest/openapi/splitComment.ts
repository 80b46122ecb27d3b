/** A comment's first line, and what follows it without the blank lines between. */
export function splitComment(comment: string | null): { first?: string; rest?: string } {
  if (comment === null) return {}
  const end = comment.indexOf('\n')
  if (end < 0) return { first: comment }
  const rest = comment.slice(end).replace(/^\n+/, '')
  return { first: comment.slice(0, end), ...(rest !== '' && { rest }) }
}
