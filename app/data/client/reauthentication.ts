import { i18n } from '@lingui/core'
import { registerSentences } from '../failures/failures.ts'

/** Shown if the user closes the dialog without authenticating. */
registerSentences({
  reauthentication_required: () => i18n._('Nothing was changed, because you didn’t confirm that it’s you.'),
})

/** The commands that wait until the user has authenticated again. */
let waiting: ((isDone: boolean) => void)[] = []
const listeners = new Set<() => void>()

function emit(): void {
  for (const listener of listeners) listener()
}

/**
 * Shows the dialog in which the user authenticates again. The result is true once they have done so, and false if they have closed
 * the dialog.
 */
export function reauthenticate(): Promise<boolean> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    emit()
  })
}

/** Ends the wait of `reauthenticate`. */
export function endReauthentication(isDone: boolean): void {
  const ended = waiting
  waiting = []
  emit()
  for (const resolve of ended) resolve(isDone)
}

export const isReauthenticating = (): boolean => waiting.length > 0

/** Subscribes to the beginning and the end of `reauthenticate`. */
export function onReauthentication(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
