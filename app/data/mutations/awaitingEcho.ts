import type { Message } from '../../../wire/linnet.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Store } from '../store/store.ts'

/** Accepted messages of the user whose row has not arrived yet: shown until it has. */
export interface AwaitingEcho {
  messages: () => readonly Message[]
  add: (message: Message) => void
  /** It was deleted: its row is no longer awaited. */
  remove: (id: Uuid) => void
  stop: () => void
}

/**
 * Keeps what was accepted on the screen until the row itself stands where it will be shown. `lost` is called for what
 * the server has forgotten, because it was restored from a backup: when it resolves, something else shows those words.
 */
export function createAwaitingEcho(
  store: Store,
  changed: () => void,
  lost: (message: Message) => Promise<unknown>,
): AwaitingEcho {
  let awaiting: readonly Message[] = []
  const saving = new Set<Uuid>()

  function remove(id: Uuid) {
    const left = awaiting.filter((message) => message.id !== id)
    if (left.length === awaiting.length) return
    awaiting = left
    changed()
  }

  const unsubscribe = store.subscribe(() => {
    if (awaiting.length === 0) return
    const left = awaiting.filter((message) => !hasArrived(store, message))
    for (const message of left) {
      if (saving.has(message.id) || !isLostOnServer(store, message)) continue
      saving.add(message.id)
      const saved = () => saving.delete(message.id)
      void lost(message)
        .then(() => remove(message.id))
        .then(saved, saved)
    }
    if (left.length === awaiting.length) return
    awaiting = left
    changed()
  })
  return {
    messages: () => awaiting,
    add: (message) => {
      const known = awaiting.some((one) => one.id === message.id)
      if (known)
        awaiting = awaiting.map((one) => (one.id === message.id && one.rev < message.rev ? message : one))
      else if (!hasArrived(store, message)) awaiting = [...awaiting, message]
    },
    remove,
    stop: unsubscribe,
  }
}

/** Whether the row is in the range where it will be shown. */
function hasArrived(store: Store, message: Message): boolean {
  const rows = store.get().channels.get(message.channel_id)
  const end = rows?.windows.at(-1)
  // Where no messages are loaded they are not awaited: they come with the page.
  if (!rows || !end) return true
  if (message.seq !== null && message.seq <= end.to) return true
  const thread = message.thread_root === null ? undefined : rows.threads.get(message.thread_root)
  if (thread && message.thread_seq !== null) return thread.byNumber.has(message.thread_seq)
  // The thread is not shown.
  return message.seq === null
}

/** Whether the channel has fewer changes than when the message was accepted. */
function isLostOnServer(store: Store, message: Message): boolean {
  const rows = store.get().channels.get(message.channel_id)
  return rows !== undefined && rows.entry.counters.rev < message.rev
}
