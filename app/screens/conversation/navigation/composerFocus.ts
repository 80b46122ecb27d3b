let wasFocused = false

const COMPOSER = 'textarea[data-compose]'

/** Call before a conversation leaves the page: whether its composer has the focus. */
export function recordComposerFocus(): void {
  wasFocused = document.activeElement?.matches(COMPOSER) ?? false
}

/** The composer of the conversation that has come, where one was writing in the one that went; once. */
export function takeComposerFocus(): HTMLElement | null {
  if (!wasFocused) return null
  wasFocused = false
  return document.querySelector<HTMLElement>(COMPOSER)
}
