/** Whether a name matches a pattern: the name itself, `*` for all, `%` for any text within. */
export function matchesPattern(name: string, pattern: string): boolean {
  if (pattern === '*' || pattern === name) return true
  if (!pattern.includes('%')) return false
  const [first = '', ...rest] = pattern.split('%')
  const last = rest.pop() ?? ''
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false
  const within = name.slice(first.length, name.length - last.length)
  let at = 0
  return rest.every((part) => {
    const found = within.indexOf(part, at)
    at = found + part.length
    return found >= 0
  })
}
