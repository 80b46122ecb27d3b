/** A name, then a space or the end: paths such as "/etc/hosts" are no commands. */
const COMMAND = /^\/[a-z][\w-]*(?!\S)/i

/** Whether a text is a slash command rather than a message. */
export function isSlashCommand(text: string): boolean {
  return COMMAND.test(text)
}
