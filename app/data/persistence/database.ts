import { openDB } from 'idb'
import type { DBSchema, IDBPDatabase } from 'idb'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Mutation } from '../mutations/mutation.ts'
import type { CachedWorkspace, CachedMessages } from './cachedRows.ts'
import { withTimeout } from './withTimeout.ts'

/**
 * The version of the stores. Raise it when a store or its values change; the upgrade then deletes all stores of
 * earlier versions.
 */
const SCHEMA_VERSION = 7
/** Seconds within which the device must open the database. After that it counts as a device without storage. */
const OPEN_TIMEOUT_SECONDS = 15
/** Seconds to wait until an older page closes the database of an earlier version. */
const BLOCKED_TIMEOUT_SECONDS = 3

/**
 * The bytes of a file. They are stored as ArrayBuffers, because WebKit rejects Blobs or never ends the transaction.
 * Only a file that is too large for memory is stored as a Blob.
 */
export interface StoredFileBytes {
  id: Uuid
  blob: ArrayBuffer | Blob
  thumb: ArrayBuffer | Blob | null
  thumbType?: string
}

interface Stores extends DBSchema {
  outbox: { key: Uuid; value: Mutation }
  drafts: { key: string; value: string }
  /**
   * The bytes of files in the outbox. They are separate from their mutations, because each change of a mutation would
   * copy them.
   */
  files: { key: Uuid; value: StoredFileBytes }
  workspace: { key: Uuid; value: CachedWorkspace & { storedAt?: number } }
  /** Cached messages. Their keys are `<workspace>/<channel>`. */
  messages: { key: string; value: CachedMessages }
}

export type Database = IDBPDatabase<Stores>

/** Returns the workspace of a key of stored messages, which is `<workspace>/<channel>`. */
export function workspaceOf(key: string): Uuid {
  return key.split('/')[0] ?? ''
}

function databaseName(installation: string, userId: Uuid): string {
  return `linnet-${installation}-${userId}`
}

/** Opens the database of an account. Each account has its own. Rejects if the browser refuses storage. */
export async function openDatabase(
  installation: string,
  userId: Uuid,
  onClosed?: () => void,
): Promise<Database> {
  let onBlocked = (): void => {}
  const blocked = new Promise<void>((resolve) => {
    onBlocked = resolve
  })
  const opening = openDB<Stores>(databaseName(installation, userId), SCHEMA_VERSION, {
    upgrade: (db) => {
      for (const name of Array.from(db.objectStoreNames)) db.deleteObjectStore(name)
      for (const name of ['outbox', 'files', 'messages'] as const)
        db.createObjectStore(name, { keyPath: 'id' })
      for (const name of ['drafts', 'workspace'] as const) db.createObjectStore(name)
    },
    blocked: onBlocked,
    // A newer page upgrades the database, which an open connection would block.
    blocking: () => {
      onClosed?.()
      void opening.then((db) => db.close())
    },
    // The user or the browser cleared the site's data.
    terminated: () => onClosed?.(),
  })
  try {
    // Another page may block an upgrade indefinitely: reads and writes must not wait for it.
    const late = blocked.then(() => withTimeout(opening, BLOCKED_TIMEOUT_SECONDS))
    return await Promise.race([withTimeout(opening, OPEN_TIMEOUT_SECONDS), late])
  } catch (error) {
    // If it opens later, its connection would block the next upgrade.
    opening.then(
      (db) => db.close(),
      () => {},
    )
    throw error
  }
}
