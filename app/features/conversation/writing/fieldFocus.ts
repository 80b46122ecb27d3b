import type { Uuid } from '../../../../wire/scalars.ts'
import { COMPOSER_FIELD } from '../../../ui/field.ts'

/** The conversation or thread whose composer takes the focus when it is mounted. */
let requested: Uuid | null = null

/** Focuses the composer of a conversation or a thread, at once or when it is mounted. Call after it was opened. */
export function focusFieldOf(id: Uuid): void {
  const field = document.querySelector<HTMLElement>(`[data-writes-to="${id}"] ${COMPOSER_FIELD}`)
  if (field) field.focus()
  else requested = id
}

/** Returns whether the composer that is being mounted takes the focus. Any composer ends the request. */
export function takeFieldFocus(id: Uuid): boolean {
  const isRequested = requested === id
  requested = null
  return isRequested
}
