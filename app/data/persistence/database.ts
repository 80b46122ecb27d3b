import { openDB } from 'idb'
import type { DBSchema, IDBPDatabase, IDBPObjectStore, OpenDBCallbacks, StoreNames } from 'idb'
import type { Uuid } from '../../../wire/scalars.ts'
import type { Mutation } from '../mutations/mutation.ts'
import type { CachedWorkspace, CachedMessages } from './cachedRows.ts'
import { withTimeout } from './withTimeout.ts'

/**
 * The version of the database. Raise it only to add a store or an index: an upgrade keeps `OWN_STORES`, and builds from
 * before the raise can still open the database (see `openAnyVersion`). A store of unsent changes never changes its name
 * or its key, because a server can return to an earlier build. Changed values of a cache need no new version: see
 * `CACHE_FORMAT`.
 */
const SCHEMA_VERSION = 7
/** Stores with what the person has written, which an upgrade keeps. Their values are validated when they are read. */
export const OWN_STORES = ['outbox', 'files', 'drafts'] as const
/** Stores with copies of the server's rows, which an upgrade empties. */
export const CACHE_STORES = ['workspace', 'messages'] as const
/**
 * The format of the cached rows. Raise it when their values change: rows of another format are deleted when they are
 * read. Each row has its format, so that tabs with different builds can use one database.
 */
export const CACHE_FORMAT = 4
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

/** Fields of each row of a cache. */
interface CacheFields {
  /** Absent where a build without formats stored the row. */
  format?: number
}

/**
 * The members of a workspace. They are separate from its other rows, because each message would copy them. Their digest is
 * stored with them, so that it describes these rows whichever tab has stored them.
 */
type MembersRow = Pick<CachedWorkspace, 'members'> & { digest?: string | undefined }

interface Stores extends DBSchema {
  outbox: { key: Uuid; value: Mutation }
  /** The texts of drafts, and the bodies that drafts of edits change. An earlier build can read the texts. */
  drafts: { key: string; value: string }
  /**
   * The bytes of files in the outbox. They are separate from their mutations, because each change of a mutation would
   * copy them.
   */
  files: { key: Uuid; value: StoredFileBytes }
  /** Each workspace has two rows: its members have the key `<workspace>/members`. */
  workspace: {
    key: string
    value: (Omit<CachedWorkspace, 'members'> | MembersRow) & CacheFields & { storedAt?: number }
  }
  /** Cached messages. Their keys are `<workspace>/<channel>`. */
  messages: { key: string; value: CachedMessages & CacheFields }
}

export type Database = IDBPDatabase<Stores>

const BASE_SUFFIX = '/base'

/** Returns the key of the body that the edit with the draft `key` changes. */
export function draftBaseKey(key: string): string {
  return key + BASE_SUFFIX
}

export function isDraftBaseKey(key: string): boolean {
  return key.endsWith(BASE_SUFFIX)
}

/** Returns the key of the members of a workspace. */
export function membersKey(workspace: Uuid): string {
  return `${workspace}/members`
}

/** Returns the workspace of a key, which begins with it: `<workspace>`, `<workspace>/members` or `<workspace>/<channel>`. */
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
  const opening = openAnyVersion(databaseName(installation, userId), {
    upgrade: async (db, before, _version, transaction) => {
      for (const name of Array.from(db.objectStoreNames))
        if (!OWN_STORES.some((own) => own === name)) db.deleteObjectStore(name)
      for (const name of ['outbox', 'files', 'messages'] as const) addStore(db, name, { keyPath: 'id' })
      for (const name of ['drafts', 'workspace'] as const) addStore(db, name)
      if (before > 0 && before < 7) await renameMutationFields(transaction.objectStore('outbox'))
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

/**
 * Opens the database in this build's version, or in the later version of a newer build. Rejects with `VersionError` if
 * the later version lacks one of the stores.
 */
async function openAnyVersion(name: string, callbacks: OpenDBCallbacks<Stores>): Promise<Database> {
  try {
    return await openDB<Stores>(name, SCHEMA_VERSION, callbacks)
  } catch (error) {
    if (!(error instanceof DOMException) || error.name !== 'VersionError') throw error
    const db = await openDB<Stores>(name, undefined, callbacks)
    if ([...OWN_STORES, ...CACHE_STORES].every((one) => db.objectStoreNames.contains(one))) return db
    db.close()
    throw error
  }
}

function addStore(db: Database, name: StoreNames<Stores>, options?: { keyPath: string }): void {
  if (!db.objectStoreNames.contains(name)) db.createObjectStore(name, options)
}

/** Gives the mutations of versions before 7 their present field names. A rejected one is sent again for its reason. */
async function renameMutationFields(
  outbox: IDBPObjectStore<Stores, StoreNames<Stores>[], 'outbox', 'versionchange'>,
): Promise<void> {
  for (const stored of await outbox.getAll()) {
    const { version, tried, place, ...rest } = stored as Mutation & Record<string, unknown>
    const renamed = {
      ...rest,
      ...(version !== undefined && { revision: version, state: 'pending', failure: null }),
      ...(tried !== undefined && { maybeSent: tried }),
      ...(place !== undefined && { conversation: place }),
    }
    await outbox.put(renamed as Mutation)
  }
}
