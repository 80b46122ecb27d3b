import type { Message, Uuid } from '../../../wire/linnet.ts'
import type { Store } from '../store/store.ts'

/** Accepted messages of one's own whose row has not reached its place: shown until it has. */
export interface Landed {
  messages: () => readonly Message[]
  take: (message: Message) => void
  /** It was taken back: nobody waits for its row. */
  drop: (id: Uuid) => void
  stop: () => void
}

/**
 * Keeps what was accepted on the screen until the row itself stands where it will be shown. `lost` is called for what
 * the home has forgotten, because it was restored from a copy: when it resolves, something else shows those words.
 */
export function createLanded(
  store: Store,
  changed: () => void,
  lost: (message: Message) => Promise<unknown>,
): Landed {
  let landed: readonly Message[] = []
  const saving = new Set<Uuid>()

  function drop(id: Uuid) {
    const left = landed.filter((message) => message.id !== id)
    if (left.length === landed.length) return
    landed = left
    changed()
  }

  const unsubscribe = store.subscribe(() => {
    if (landed.length === 0) return
    const left = landed.filter((message) => !isHeld(store, message))
    for (const message of left) {
      if (saving.has(message.id) || !isForgotten(store, message)) continue
      saving.add(message.id)
      const saved = () => saving.delete(message.id)
      void lost(message)
        .then(() => drop(message.id))
        .then(saved, saved)
    }
    if (left.length === landed.length) return
    landed = left
    changed()
  })
  return {
    messages: () => landed,
    take: (message) => {
      const known = landed.some((one) => one.id === message.id)
      if (known)
        landed = landed.map((one) => (one.id === message.id && one.rev < message.rev ? message : one))
      else if (!isHeld(store, message)) landed = [...landed, message]
    },
    drop,
    stop: unsubscribe,
  }
}

/** Whether the row stands where it will be shown. */
function isHeld(store: Store, message: Message): boolean {
  const rows = store.get().channels.get(message.channel_id)
  const end = rows?.windows.at(-1)
  // Where no words are held nobody waits for these: they come with the page.
  if (!rows || !end) return true
  if (message.seq !== null && message.seq <= end.to) return true
  const thread = message.thread_root === null ? undefined : rows.threads.get(message.thread_root)
  if (thread && message.thread_seq !== null) return thread.byNumber.has(message.thread_seq)
  // Nobody shows the thread: there is no place to wait for.
  return message.seq === null
}

/** Whether the channel has fewer changes than when the message was accepted. */
function isForgotten(store: Store, message: Message): boolean {
  const rows = store.get().channels.get(message.channel_id)
  return rows !== undefined && rows.entry.counters.rev < message.rev
}
