import type { Uuid } from '../../../../wire/scalars.ts'
import { COMPOSER_FIELD } from '../../../ui/field.ts'

/** The thread whose composer takes the focus when it is mounted. */
let requested: Uuid | null = null

/** Focuses the composer of a thread, at once or when it is mounted. Call after the thread was opened. */
export function focusReply(rootId: Uuid): void {
  const field = document.querySelector<HTMLElement>(`[data-thread="${rootId}"] ${COMPOSER_FIELD}`)
  if (field) field.focus()
  else requested = rootId
}

/** Returns whether the composer that is being mounted takes the focus. Any composer ends the request. */
export function takeReplyFocus(rootId: Uuid | null): boolean {
  const isRequested = requested !== null && requested === rootId
  requested = null
  return isRequested
}
