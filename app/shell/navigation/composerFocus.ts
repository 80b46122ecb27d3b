import { COMPOSER_FIELD } from '../../ui/field.ts'

let wasFocused = false

/** Call before a conversation is unmounted: records whether its composer has the focus. */
export function recordComposerFocus(): void {
  wasFocused = document.activeElement?.matches(COMPOSER_FIELD) ?? false
}

/** Returns the composer of the new conversation if that of the previous one had the focus; once. */
export function takeComposerFocus(): HTMLElement | null {
  if (!wasFocused) return null
  wasFocused = false
  return document.querySelector<HTMLElement>(COMPOSER_FIELD)
}
