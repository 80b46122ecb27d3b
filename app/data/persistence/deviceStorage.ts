import type { Member } from '../../../wire/people.ts'
import type { Uuid } from '../../../wire/scalars.ts'
import type { CachedWorkspace, CachedMessages } from './cachedRows.ts'
import type { OutboxStorage } from '../mutations/outbox.ts'
import { withMemoryFallback } from './memoryOutbox.ts'
import { createIndexedDbOutbox } from './indexedDbOutbox.ts'
import {
  CACHE_FORMAT,
  CACHE_STORES,
  draftBaseKey,
  isDraftBaseKey,
  membersKey,
  openDatabase,
  OWN_STORES,
  workspaceOf,
} from './database.ts'
import type { Database } from './database.ts'
import { withTimeout } from './withTimeout.ts'

/** Seconds after which a device write that has not finished counts as failed. */
const TIMEOUT_SECONDS = 5

/** The draft of an edit. `base`: the body of the message that the edit changes; null: an earlier build has stored the draft. */
export interface StoredDraft {
  text: string
  base: string | null
}

export const NO_DRAFT: StoredDraft = { text: '', base: null }

/** The storage of one account in this browser: outbox, drafts and cached rows. */
export interface DeviceStorage {
  outbox: OutboxStorage
  readDraft: (key: string) => Promise<StoredDraft>
  /** Stores a draft. Without a text, it deletes the draft. */
  writeDraft: (key: string, draft: StoredDraft) => Promise<void>
  /** Number of stored drafts. */
  countDrafts: () => Promise<number>
  /** Reads the stored rows of a workspace. Returns null if none are stored. */
  readCache: (
    workspace: Uuid | null,
  ) => Promise<{ workspace: CachedWorkspace; messages: CachedMessages[] } | null>
  /**
   * Stores the workspace and the messages of channels. Messages that another tab has stored at a later rev stay,
   * unless their channel is `dropped` or has no entry. `stale` maps a channel to the rev below which its stored
   * messages are deleted.
   */
  writeCache: (
    workspace: CachedWorkspace,
    messages: CachedMessages[],
    dropped: readonly Uuid[],
    stale: ReadonlyMap<Uuid, number>,
  ) => Promise<void>
  /**
   * Deletes the stored rows of workspaces that are not among these, and of the workspaces that were stored longest
   * ago.
   */
  deleteOtherWorkspaces: (workspaces: readonly Uuid[]) => Promise<void>
  /** Whether writes survive this page. */
  isPersistent: () => boolean
  close: () => void
}

/** Key of a draft: a channel, or a thread in it. */
export function draftKey(channelId: Uuid, threadRoot: Uuid | null | undefined): string {
  return threadRoot ? `${channelId}/${threadRoot}` : channelId
}

/** Key of the draft of an edit. */
export function editDraftKey(messageId: Uuid): string {
  return `edit/${messageId}`
}

/**
 * Opens this browser's database for the account. Rejects if the browser allows no storage. `onFailure` is called once
 * when the device can no longer store. `onFilesNotStored` is called each time the device has no space for the bytes
 * of files.
 */
export async function openDeviceStorage(
  installation: string,
  userId: Uuid,
  onFailure: () => void,
  onFilesNotStored?: () => void,
): Promise<DeviceStorage> {
  /** One promise for all callers, so that two of them open it once. */
  let open: Promise<Database> | null = null
  let closed = false
  let isPersistent = true
  /** The members that this page has written last. */
  let written: { id: Uuid; members: readonly Member[]; digest: string | undefined } | null = null
  /** Returns the database. It is opened again after the browser or a newer page has closed it. */
  const database = async (): Promise<Database> => {
    if (!open) {
      const opening = openDatabase(installation, userId, () => {
        if (open === opening) open = null
      })
      opening.catch(() => {
        if (open === opening) open = null
      })
      open = opening
    }
    const opened = await open
    if (closed) opened.close()
    return opened
  }
  await database()
  const outbox = createIndexedDbOutbox(database, onFilesNotStored)
  const retryReopened = async <T>(run: () => Promise<T>): Promise<T> => {
    await database()
    const used = open
    try {
      return await run()
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'InvalidStateError' || closed) throw error
      // Another caller may have opened it again already.
      if (open === used) open = null
      return run()
    }
  }
  const reopening: OutboxStorage = {
    all: () => retryReopened(outbox.all),
    change: (update, draft) => retryReopened(() => outbox.change(update, draft)),
  }
  return {
    outbox: withMemoryFallback(reopening, () => {
      isPersistent = false
      onFailure()
    }),
    readDraft: async (key) => {
      const db = await database()
      const read = Promise.all([db.get('drafts', key), db.get('drafts', draftBaseKey(key))])
      // Another version may have stored something else.
      const [text, base]: unknown[] = await withTimeout(read, TIMEOUT_SECONDS)
      if (typeof text !== 'string') return NO_DRAFT
      return { text, base: typeof base === 'string' ? base : null }
    },
    writeDraft: async (key, { text, base }) => {
      const transaction = (await database()).transaction('drafts', 'readwrite')
      const { store } = transaction
      const written = Promise.all([
        text === '' ? store.delete(key) : store.put(text, key),
        text === '' || base === null ? store.delete(draftBaseKey(key)) : store.put(base, draftBaseKey(key)),
        transaction.done,
      ])
      await withTimeout<unknown>(written, TIMEOUT_SECONDS)
    },
    countDrafts: async () => {
      const keys = await withTimeout((await database()).getAllKeys('drafts'), TIMEOUT_SECONDS)
      return keys.filter((key) => !isDraftBaseKey(key)).length
    },
    readCache: async (id) => {
      if (id === null) return null
      const db = await database()
      const readMessages = async () => {
        const keys = (await db.getAllKeys('messages')).filter((key) => workspaceOf(key) === id)
        const stored = (await Promise.all(keys.map((key) => db.get('messages', key)))).flatMap(
          (one) => one ?? [],
        )
        // Another build has stored these. They would count towards no limit of the cache.
        const unreadable = stored.filter((one) => !isOfFormat(one))
        await Promise.all(unreadable.map((one) => db.delete('messages', one.id)))
        return stored
          .filter(isOfFormat)
          .map(({ format: _format, ...one }) => Object.assign(one, { id: one.id.slice(id.length + 1) }))
      }
      const [workspace, stored, messages] = await withTimeout(
        Promise.all([db.get('workspace', id), db.get('workspace', membersKey(id)), readMessages()]),
        TIMEOUT_SECONDS,
      )
      if (!workspace || !isOfFormat(workspace) || 'members' in workspace) return null
      if (!stored || !isOfFormat(stored) || !('members' in stored)) return null
      const { members, digest } = stored
      const digests = digest === undefined ? workspace.digests : { ...workspace.digests, people: digest }
      return { workspace: { ...workspace, members, ...(digests && { digests }) }, messages }
    },
    writeCache: async ({ members, digests, ...workspace }, messages, dropped, stale) => {
      const transaction = (await database()).transaction(['workspace', 'messages'], 'readwrite')
      const [table, workspaces] = [transaction.objectStore('messages'), transaction.objectStore('workspace')]
      const id = workspace.workspace?.id ?? ''
      const { people: digest, ...otherDigests } = digests ?? {}
      const isWritten = written?.id === id && written.members === members && written.digest === digest
      const writeMembers = async () => {
        const key = membersKey(id)
        // Another tab may have deleted them.
        if (isWritten && (await workspaces.getKey(key)) !== undefined) return
        await workspaces.put({ members, digest, format: CACHE_FORMAT }, key)
      }
      const keyOf = (channel: Uuid) => `${id}/${channel}`
      const entries = new Set(workspace.entries.map(({ channel }) => keyOf(channel.id)))
      const withoutEntry = async () =>
        (await table.getAllKeys()).filter((key) => workspaceOf(key) === id && !entries.has(key))
      const row = { ...workspace, ...(digests && { digests: otherDigests }), format: CACHE_FORMAT }
      const writing = Promise.all([
        id && workspaces.put({ ...row, storedAt: Date.now() }, id),
        id && writeMembers(),
        ...dropped.map((channel) => table.delete(keyOf(channel))),
        // Without an entry their channel is not readable, and deletions in it are not received.
        withoutEntry().then((keys) => Promise.all(keys.map((key) => table.delete(key)))),
        ...messages.map(async (one) => {
          const existing = await table.get(keyOf(one.id))
          // A tab with older rows must not restore messages that were deleted meanwhile.
          if (existing && isOfFormat(existing) && existing.rev > one.rev) return
          await table.put({ ...one, id: keyOf(one.id), format: CACHE_FORMAT })
        }),
        ...Array.from(stale, async ([channel, rev]) => {
          const existing = await table.get(keyOf(channel))
          if (existing && existing.rev < rev) await table.delete(keyOf(channel))
        }),
        transaction.done,
      ])
      await withTimeout(writing, TIMEOUT_SECONDS)
      written = { id, members, digest }
    },
    deleteOtherWorkspaces: async (workspaces) => {
      const { deleteOtherWorkspaces } = await import('./deleteOtherWorkspaces.ts')
      await deleteOtherWorkspaces(await database(), workspaces)
    },
    isPersistent: () => isPersistent,
    close: () => {
      closed = true
      void open?.then(
        (opened) => opened.close(),
        () => {},
      )
    },
  }
}

/** Clears the storage of an account: cached rows only (its session has ended), or everything. */
export async function clearDeviceStorage(
  installation: string,
  userId: Uuid,
  what: 'cache' | 'everything',
): Promise<void> {
  const db = await openDatabase(installation, userId)
  const storeNames = what === 'cache' ? CACHE_STORES : [...CACHE_STORES, ...OWN_STORES]
  const transaction = db.transaction(storeNames, 'readwrite')
  await Promise.all([...storeNames.map((name) => transaction.objectStore(name).clear()), transaction.done])
  db.close()
}

function isOfFormat({ format }: { format?: number }): boolean {
  return format === CACHE_FORMAT
}
