import type { Message } from '../../../wire/messages.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Store } from '../store/store.ts'

/** Own messages that the server has accepted, displayed until their row is loaded. */
export interface UnplacedMessages {
  messages: () => readonly Message[]
  add: (message: Message) => void
  /** The message was deleted. */
  remove: (id: Uuid) => void
  stop: () => void
}

/**
 * Displays accepted messages until their rows are loaded. `lost` is called for a message that the server no longer has,
 * because it was restored from a backup; once it resolves, the outbox displays the message.
 */
export function createUnplacedMessages(
  store: Store,
  changed: () => void,
  lost: (message: Message) => Promise<unknown>,
): UnplacedMessages {
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

/** Whether the row is in the loaded range that displays it. */
function hasArrived(store: Store, message: Message): boolean {
  const rows = store.get().channels.get(message.channel_id)
  const end = rows?.windows.at(-1)
  // Where no messages are loaded, the first page will contain it.
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
