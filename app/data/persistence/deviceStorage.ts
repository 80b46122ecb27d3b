import type { Uuid } from '../../../wire/linnet.ts'
import type { KeptBase, KeptWords } from './cachedRows.ts'
import type { OutboxShelf } from '../mutations/outbox.ts'
import { memoryShelf, sturdyShelf } from './memoryOutbox.ts'
import { tableShelf } from './indexedDbOutbox.ts'
import { openTables } from './database.ts'
import type { Tables } from './database.ts'
import { within } from './withTimeout.ts'

/** Seconds after which a device write that has not finished counts as failed. */
const TIMEOUT = 5

/** What this browser keeps for one account. */
export interface Device {
  shelf: OutboxShelf
  draft: (place: string) => Promise<string>
  keepDraft: (place: string, text: string) => Promise<void>
  /** How many places have a draft. */
  drafts: () => Promise<number>
  kept: () => Promise<{ base: KeptBase; words: KeptWords[] } | null>
  /**
   * Words that another tab kept at a later rev stay, unless they are among the `dropped`, or of a channel that has no
   * entry. `stale`: channel → the rev below which words that are kept of it must go.
   */
  keep: (
    base: KeptBase,
    words: KeptWords[],
    dropped: readonly Uuid[],
    stale: ReadonlyMap<Uuid, number>,
  ) => Promise<void>
  /** Whether what is written outlives this page. */
  lasting: () => boolean
  close: () => void
}

/** Where a draft belongs: a channel, or a thread in it. */
export function draftPlace(channelId: Uuid, threadRoot: Uuid | null | undefined): string {
  return threadRoot ? `${channelId}/${threadRoot}` : channelId
}

/** Where the draft of a change of a message belongs. */
export function editPlace(messageId: Uuid): string {
  return `edit/${messageId}`
}

/**
 * Opens what this browser keeps for the account. Rejects where it may not keep anything; `failed` is told once
 * when it can't any more, `unkept` each time it has no room for the bytes of files.
 */
export async function openDevice(
  installation: string,
  userId: Uuid,
  failed: () => void,
  unkept?: () => void,
): Promise<Device> {
  let open: Tables | null = null
  let over = false
  let lasting = true
  /** The tables, opened again after the browser or a newer page has closed them. */
  const tables = async (): Promise<Tables> => {
    open ??= await openTables(installation, userId, () => {
      open = null
    })
    if (over) open.close()
    return open
  }
  await tables()
  /** A connection that was closed under us is one that can be opened again. */
  const shelf = tableShelf(tables, unkept)
  const again = async <T>(run: () => Promise<T>): Promise<T> => {
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError' || over) throw error
      open = null
      return run()
    }
  }
  const reopening: OutboxShelf = {
    all: () => again(shelf.all),
    change: (how, draft) => again(() => shelf.change(how, draft)),
  }
  return {
    shelf: sturdyShelf(reopening, () => {
      lasting = false
      failed()
    }),
    draft: async (place) => {
      // The field takes a text alone, whatever lies there.
      const text: unknown = await within((await tables()).get('drafts', place), TIMEOUT)
      return typeof text === 'string' ? text : ''
    },
    keepDraft: async (place, text) => {
      const db = await tables()
      await within<unknown>(text === '' ? db.delete('drafts', place) : db.put('drafts', text, place), TIMEOUT)
    },
    drafts: async () => within((await tables()).count('drafts'), TIMEOUT),
    kept: async () => {
      const db = await tables()
      const [base, words] = await within(Promise.all([db.get('base', 'base'), db.getAll('words')]), TIMEOUT)
      return base ? { base, words } : null
    },
    keep: async (base, words, dropped, stale) => {
      const transaction = (await tables()).transaction(['base', 'words'], 'readwrite')
      const table = transaction.objectStore('words')
      const entries = new Set(base.entries.map(({ channel }) => channel.id))
      const orphans = async () => (await table.getAllKeys()).filter((id) => !entries.has(id))
      const written = Promise.all([
        transaction.objectStore('base').put(base, 'base'),
        ...dropped.map((id) => table.delete(id)),
        // Without an entry nobody reads them, nor learns what was deleted there.
        orphans().then((ids) => Promise.all(ids.map((id) => table.delete(id)))),
        ...words.map(async (one) => {
          const kept = await table.get(one.id)
          // A tab that is behind, or asleep, must not bring back what was deleted meanwhile.
          if (!kept || kept.rev <= one.rev) await table.put(one)
        }),
        ...Array.from(stale, async ([id, rev]) => {
          const kept = await table.get(id)
          if (kept && kept.rev < rev) await table.delete(id)
        }),
        transaction.done,
      ])
      await within(written, TIMEOUT)
    },
    lasting: () => lasting,
    close: () => {
      over = true
      open?.close()
    },
  }
}

/** Clears what is kept for an account: its words alone (the session ended by itself), or everything. */
export async function forgetDevice(
  installation: string,
  userId: Uuid,
  what: 'words' | 'everything',
): Promise<void> {
  const db = await openTables(installation, userId)
  const tables =
    what === 'words'
      ? (['base', 'words'] as const)
      : (['base', 'words', 'outbox', 'files', 'drafts'] as const)
  const transaction = db.transaction(tables, 'readwrite')
  await Promise.all([...tables.map((name) => transaction.objectStore(name).clear()), transaction.done])
  db.close()
}

/** Keeps everything in this page's memory alone, where the browser refuses to store. */
export function memoryDevice(): Device {
  const drafts = new Map<string, string>()
  return {
    shelf: memoryShelf((place) => drafts.delete(place)),
    draft: async (place) => drafts.get(place) ?? '',
    keepDraft: async (place, text) => {
      if (text === '') drafts.delete(place)
      else drafts.set(place, text)
    },
    drafts: async () => drafts.size,
    kept: async () => null,
    keep: async () => {},
    lasting: () => false,
    close: () => {},
  }
}
