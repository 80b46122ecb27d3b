import { openDB } from 'idb'
import type { DBSchema, IDBPDatabase } from 'idb'
import type { Uuid } from '../../../wire/linnet.ts'
import type { KeptBase, KeptWords } from '../sync/kept.ts'
import type { OutboxItem, OutboxShelf } from '../sync/outbox.ts'

/** Raise it when a cached shape changes: the cache is emptied then, outbox and drafts stay. */
const SCHEMA = 2

interface Tables extends DBSchema {
  outbox: { key: Uuid; value: OutboxItem }
  drafts: { key: string; value: string }
  base: { key: 'base'; value: KeptBase }
  words: { key: Uuid; value: KeptWords }
}

/** What this browser keeps for one account. */
export interface Device {
  shelf: OutboxShelf
  draft: (place: string) => Promise<string>
  keepDraft: (place: string, text: string) => Promise<void>
  kept: () => Promise<{ base: KeptBase; words: KeptWords[] } | null>
  keep: (base: KeptBase, words: KeptWords[], dropped: Uuid[]) => Promise<void>
  close: () => void
}

/** Where a draft belongs: a channel, or a thread in it. */
export function draftPlace(channelId: Uuid, threadRoot: Uuid | null | undefined): string {
  return threadRoot ? `${channelId}/${threadRoot}` : channelId
}

function databaseName(installation: string, userId: Uuid): string {
  return `linnet-${installation}-${userId}`
}

/** One for each account, so that nobody meets another's words. */
function openTables(installation: string, userId: Uuid): Promise<IDBPDatabase<Tables>> {
  const opening = openDB<Tables>(databaseName(installation, userId), SCHEMA, {
    upgrade: (db) => {
      for (const name of ['base', 'words'] as const) {
        if (db.objectStoreNames.contains(name)) db.deleteObjectStore(name)
      }
      db.createObjectStore('base')
      db.createObjectStore('words', { keyPath: 'id' })
      if (!db.objectStoreNames.contains('outbox')) db.createObjectStore('outbox', { keyPath: 'id' })
      if (!db.objectStoreNames.contains('drafts')) db.createObjectStore('drafts')
    },
    // A newer page wants to upgrade: holding on would block it for ever.
    blocking: () => {
      void opening.then((db) => db.close())
    },
  })
  return opening
}

/** Opens what this browser keeps for the account. Rejects where it may not keep anything. */
export async function openDevice(installation: string, userId: Uuid): Promise<Device> {
  const db = await openTables(installation, userId)
  return {
    shelf: {
      all: () => db.getAll('outbox'),
      add: async (item) => {
        const transaction = db.transaction(['outbox', 'drafts'], 'readwrite')
        await Promise.all([
          transaction.objectStore('outbox').put(item),
          transaction.objectStore('drafts').delete(draftPlace(item.channel, item.threadRoot)),
          transaction.done,
        ])
      },
      update: async (item) => {
        const transaction = db.transaction('outbox', 'readwrite')
        // A page that lags must not bring back what another has sent or discarded.
        if (await transaction.store.getKey(item.id)) await transaction.store.put(item)
        await transaction.done
      },
      remove: (id) => db.delete('outbox', id),
    },
    draft: async (place) => (await db.get('drafts', place)) ?? '',
    keepDraft: async (place, text) => {
      if (text === '') await db.delete('drafts', place)
      else await db.put('drafts', text, place)
    },
    kept: async () => {
      const [base, words] = await Promise.all([db.get('base', 'base'), db.getAll('words')])
      return base ? { base, words } : null
    },
    keep: async (base, words, dropped) => {
      const transaction = db.transaction(['base', 'words'], 'readwrite')
      const table = transaction.objectStore('words')
      await Promise.all([
        transaction.objectStore('base').put(base, 'base'),
        ...words.map((one) => table.put(one)),
        ...dropped.map((id) => table.delete(id)),
        transaction.done,
      ])
    },
    close: () => db.close(),
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
    what === 'words' ? (['base', 'words'] as const) : (['base', 'words', 'outbox', 'drafts'] as const)
  const transaction = db.transaction(tables, 'readwrite')
  await Promise.all([...tables.map((name) => transaction.objectStore(name).clear()), transaction.done])
  db.close()
}

/** Keeps everything in this page's memory alone, where the browser refuses to store. */
export function memoryDevice(): Device {
  const items = new Map<Uuid, OutboxItem>()
  const drafts = new Map<string, string>()
  return {
    shelf: {
      all: async () => [...items.values()],
      add: async (item) => {
        items.set(item.id, item)
        drafts.delete(draftPlace(item.channel, item.threadRoot))
      },
      update: async (item) => {
        if (items.has(item.id)) items.set(item.id, item)
      },
      remove: async (id) => {
        items.delete(id)
      },
    },
    draft: async (place) => drafts.get(place) ?? '',
    keepDraft: async (place, text) => {
      drafts.set(place, text)
    },
    kept: async () => null,
    keep: async () => {},
    close: () => {},
  }
}
