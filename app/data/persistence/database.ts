import { openDB } from 'idb'
import type { DBSchema, IDBPDatabase } from 'idb'
import type { Uuid } from '../../../wire/linnet.ts'
import type { Deed } from '../mutations/mutation.ts'
import type { KeptBase, KeptWords } from './cachedRows.ts'
import { within } from './withTimeout.ts'

/** Raise it when a shape or a table changes. */
const SCHEMA = 4
/** The schema in which the shapes of the cache last changed: what is older is emptied; outbox and drafts stay. */
const CACHE_SINCE = 2
/** How long an older page may hold the tables of an earlier schema, seconds. */
const BLOCKED_MOST = 3

/**
 * The bytes of a file: WebKit fails to store a Blob, or never ends. A Blob is what an earlier version of the app
 * stored, and what is too large to be read into memory.
 */
export interface KeptFile {
  id: Uuid
  blob: ArrayBuffer | Blob
  thumb: ArrayBuffer | Blob | null
  thumbType?: string
}

interface TableShapes extends DBSchema {
  outbox: { key: Uuid; value: Deed }
  drafts: { key: string; value: string }
  /** The bytes of files that wait in the outbox, apart from their deeds: each change of a deed would copy them. */
  files: { key: Uuid; value: KeptFile }
  base: { key: 'base'; value: KeptBase }
  words: { key: Uuid; value: KeptWords }
}

export type Tables = IDBPDatabase<TableShapes>

function databaseName(installation: string, userId: Uuid): string {
  return `linnet-${installation}-${userId}`
}

/** One database for each account, so that nobody meets another's words. Rejects where nothing may be kept. */
export async function openTables(installation: string, userId: Uuid, closed?: () => void): Promise<Tables> {
  const opening = openDB<TableShapes>(databaseName(installation, userId), SCHEMA, {
    upgrade: (db, before) => {
      if (before < CACHE_SINCE) {
        for (const name of ['base', 'words'] as const) {
          if (db.objectStoreNames.contains(name)) db.deleteObjectStore(name)
        }
        db.createObjectStore('base')
        db.createObjectStore('words', { keyPath: 'id' })
      }
      for (const name of ['outbox', 'files'] as const) {
        if (!db.objectStoreNames.contains(name)) db.createObjectStore(name, { keyPath: 'id' })
      }
      if (!db.objectStoreNames.contains('drafts')) db.createObjectStore('drafts')
    },
    // A newer page wants to upgrade: holding on would block it for ever.
    blocking: () => {
      closed?.()
      void opening.then((db) => db.close())
    },
    // The person cleared the site's data, or the browser did.
    terminated: () => closed?.(),
  })
  try {
    // An upgrade that another page blocks never ends by itself: reading and writing must not wait for it.
    return await within(opening, BLOCKED_MOST)
  } catch (error) {
    // Opened after all, it would hold up the next one.
    opening.then(
      (db) => db.close(),
      () => {},
    )
    throw error
  }
}
