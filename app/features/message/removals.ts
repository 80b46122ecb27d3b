import { useSyncExternalStore } from 'react'
import { deleteMessage } from '../../data/messages.ts'

/** How long a removal can be undone: deleting empties, so it waits, longer than the offer to undo is shown. */
const UNDO_FOR = 7_000

const waiting = new Map<string, ReturnType<typeof setTimeout>>()
const listeners = new Set<() => void>()
let hidden: ReadonlySet<string> = new Set()

/** Hides a message at once and deletes it when the time to undo has passed. `refused` says why it came back. */
export function removeMessage(id: string, refused: (sentence: string) => void): void {
  const timer = setTimeout(() => void carryOut(id, refused), UNDO_FOR)
  waiting.set(id, timer)
  changed()
}

/** Brings it back, if it is not too late. */
export function undoRemoval(id: string): void {
  clearTimeout(waiting.get(id))
  waiting.delete(id)
  changed()
}

/** The messages whose removal is under way. */
export function useRemovals(): ReadonlySet<string> {
  return useSyncExternalStore(listen, () => hidden)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

async function carryOut(id: string, refused: (sentence: string) => void) {
  clearTimeout(waiting.get(id))
  const outcome = await deleteMessage(id)
  waiting.delete(id)
  changed()
  if (!outcome.ok) refused(outcome.failure.sentence)
}

function changed() {
  hidden = new Set(waiting.keys())
  for (const listener of listeners) listener()
}

// Leaving the page is no undo: what was removed on screen is removed.
if (typeof addEventListener === 'function')
  addEventListener('pagehide', () => {
    for (const id of waiting.keys()) void carryOut(id, () => {})
  })
