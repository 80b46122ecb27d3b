let writing = false

const FIELD = 'textarea[data-compose]'

/** Call before a conversation leaves the page: whether its composer has the focus. */
export function noteWriting(): void {
  writing = document.activeElement?.matches(FIELD) ?? false
}

/** The composer of the conversation that has come, where one was writing in the one that went; once. */
export function takeWriting(): HTMLElement | null {
  if (!writing) return null
  writing = false
  return document.querySelector<HTMLElement>(FIELD)
}
