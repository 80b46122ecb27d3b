/** The name of a command in lower case, and what follows it, trimmed. `text`: one that `isSlashCommand`. */
export function parseSlashCommand(text: string): { name: string; argument: string } {
  const end = text.search(/\s|$/)
  return { name: text.slice(1, end).toLowerCase(), argument: text.slice(end).trim() }
}
