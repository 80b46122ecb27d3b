import type { Uuid } from '../../../wire/scalars.ts'
import { parseStoredMutation } from '../mutations/mutationKinds.ts'
import { filesOf } from '../mutations/mutation.ts'
import type { Mutation, OutboxFile } from '../mutations/mutation.ts'
import type { OutboxStorage } from '../mutations/outbox.ts'
import { draftBaseKey, type StoredFileBytes, type Database } from './database.ts'
import { withTimeout } from './withTimeout.ts'

type Bytes = Pick<OutboxFile, 'blob' | 'thumb'>
type Change = (mutations: readonly Mutation[]) => readonly Mutation[]

/** A file as it is stored with its mutation, without its bytes. */
interface StoredFile extends Omit<OutboxFile, 'blob' | 'thumb'> {
  hasThumb: boolean
}

/** A file above this many bytes is not read into memory, but stored as a Blob. */
const MAX_READ_BYTES = 64 * 1024 * 1024
/** Timeout (seconds) of a change without files. */
const TIMEOUT_SECONDS = 15
/** Bytes of files for which the timeout of a change, or of reading them, is a second longer. */
const BYTES_PER_SECOND = 2 * 1024 * 1024

/** Bytes to store of the files of a change, by id; null: they can't be stored. */
type ReadFiles = Map<Uuid, StoredFileBytes | null>

/**
 * The outbox in IndexedDB. Each change is one transaction, so that tabs change it one after the other. The bytes of files
 * are stored once, separately from their messages. If they can't be stored, `onFilesNotStored` is called: the message is
 * stored without them, and they are only in this page. A file that is empty although it has a size was lost with another
 * page. Rejects if the device does not respond in time.
 */
export function createIndexedDbOutbox(
  database: () => Promise<Database>,
  onFilesNotStored: () => void = () => {},
): OutboxStorage {
  /** The bytes of each file, so that each result contains the same objects. */
  const bytesById = new Map<Uuid, Bytes>()

  /** The stored mutations, each file with its bytes. */
  async function withFileBytes(
    existing: readonly unknown[],
    read: (id: Uuid) => Promise<StoredFileBytes | undefined>,
  ) {
    const mutations = existing.flatMap((one) => parseStoredMutation(one) ?? [])
    const files = mutations.flatMap(filesOf)
    const ids = new Set(files.map((file) => file.id))
    for (const id of bytesById.keys()) if (!ids.has(id)) bytesById.delete(id)
    await Promise.all(
      files.map(async (file) => {
        const bytes = bytesById.get(file.id) ?? (await read(file.id))
        if (bytes) bytesById.set(file.id, blobsOf(bytes, file.type))
      }),
    )
    return mutations.map((mutation) => withFiles(mutation, withBytes))
  }

  function withBytes(file: OutboxFile): OutboxFile {
    const { hasThumb, ...rest } = file as unknown as StoredFile
    const lost = { blob: new Blob([]), thumb: hasThumb ? new Blob([]) : null }
    return Object.assign({}, rest, bytesById.get(file.id) ?? lost)
  }

  /** One transaction. `unread` in the result: files whose bytes have to be read first; then nothing was changed. */
  async function changeOnce(update: Change, draft: string | undefined, read: ReadFiles) {
    const transaction = (await database()).transaction(['outbox', 'files', 'drafts'], 'readwrite')
    const abort = () => {
      transaction.done.catch(() => {})
      try {
        transaction.abort()
      } catch {
        // The transaction has ended already.
      }
    }
    const run = async () => {
      const [table, bytes] = [transaction.objectStore('outbox'), transaction.objectStore('files')]
      const existing = await withFileBytes(await table.getAll(), (id) => bytes.get(id))
      const before = existing.sort((a, b) => a.order - b.order)
      const after = update(before)
      const [known, left] = [new Set(before), new Set(after.map((one) => one.id))]
      const changed = after.filter((one) => !known.has(one))
      const was = new Set(before.flatMap(filesOf).map((file) => file.id))
      const stays = new Set(after.flatMap(filesOf).map((file) => file.id))
      const fresh = changed.flatMap(filesOf).filter((file) => !was.has(file.id))
      const unread = fresh.filter((file) => !read.has(file.id))
      if (unread.length > 0) {
        // Reading them takes longer than a transaction stays open.
        abort()
        return { after, fresh, unread }
      }
      await Promise.all([
        ...before.filter((one) => !left.has(one.id)).map((one) => table.delete(one.id)),
        ...changed.map(async (one) => table.put(withFiles(one, withoutBytes))),
        ...[...was].filter((id) => !stays.has(id)).map((id) => bytes.delete(id)),
        ...fresh.flatMap(({ id }) => read.get(id) ?? []).map(async (one) => bytes.put(one)),
        ...(draft === undefined
          ? []
          : [draft, draftBaseKey(draft)].map((key) => transaction.objectStore('drafts').delete(key))),
        transaction.done,
      ])
      return { after, fresh, unread }
    }
    try {
      return await withTimeout(run(), timeoutSecondsFor([...read.values()].flatMap((one) => one ?? [])))
    } catch (error) {
      // All or nothing: a value that can't be cloned throws, which does not abort the transaction.
      abort()
      throw error
    }
  }

  return {
    all: async () => {
      const read = async () => {
        const db = await database()
        return withFileBytes(await db.getAll('outbox'), (id) => db.get('files', id))
      }
      return withTimeout(read(), TIMEOUT_SECONDS)
    },
    change: async (update, draft) => {
      const read: ReadFiles = new Map()
      const change = async (): Promise<readonly Mutation[]> => {
        try {
          const { after, fresh, unread } = await changeOnce(update, draft, read)
          if (unread.length > 0) {
            await Promise.all(unread.map(async (file) => read.set(file.id, await readFile(file))))
            return await change()
          }
          for (const file of fresh) {
            const existing = read.get(file.id)
            bytesById.set(
              file.id,
              existing ? blobsOf(existing, file.type) : { blob: file.blob, thumb: file.thumb },
            )
            if (existing?.blob instanceof Blob) void rereadBlob(file)
          }
          if (fresh.some((file) => !read.get(file.id))) onFilesNotStored()
          return after.map((mutation) => withFiles(mutation, (file) => withBytes(withoutBytes(file))))
        } catch (error) {
          if (![...read.values()].some((one) => one !== null)) throw error
          // There may be no space for the bytes: the message is stored without them.
          for (const id of read.keys()) read.set(id, null)
          return change()
        }
      }
      return change()
    },
  }

  /** Uses the stored bytes from now on: the file on disk may change. */
  async function rereadBlob({ id, type }: OutboxFile): Promise<void> {
    const existing = await database()
      .then((db) => db.get('files', id))
      .catch(() => undefined)
    if (existing && bytesById.has(id)) bytesById.set(id, blobsOf(existing, type))
  }
}

/** Reads the bytes to store for a file; null when that takes too long, empty when the file no longer exists. */
async function readFile({ id, blob, thumb }: OutboxFile): Promise<StoredFileBytes | null> {
  const bytesOf = async (one: Blob) => (one.size > MAX_READ_BYTES ? one : one.arrayBuffer())
  const read = Promise.all([bytesOf(blob), thumb && bytesOf(thumb)])
  const thumbType = thumb?.type ?? ''
  try {
    const [whole, small] = await withTimeout(read, timeoutSecondsFor([{ blob, thumb }]))
    return { id, blob: whole, thumb: small, thumbType }
  } catch (error) {
    const isLate = error instanceof DOMException && error.name === 'TimeoutError'
    return isLate ? null : { id, blob: new ArrayBuffer(0), thumb: thumb && new ArrayBuffer(0), thumbType }
  }
}

function timeoutSecondsFor(files: readonly Pick<StoredFileBytes, 'blob' | 'thumb'>[]): number {
  const sizeOf = (one: ArrayBuffer | Blob | null) => (one instanceof Blob ? one.size : (one?.byteLength ?? 0))
  const bytes = files.reduce((sum, { blob, thumb }) => sum + sizeOf(blob) + sizeOf(thumb), 0)
  return TIMEOUT_SECONDS + Math.ceil(bytes / BYTES_PER_SECOND)
}

function blobsOf({ blob, thumb, thumbType = '' }: Omit<StoredFileBytes, 'id'>, type: string): Bytes {
  const blobOf = (one: ArrayBuffer | Blob, as: string) =>
    one instanceof Blob ? one : new Blob([one], { type: as })
  return { blob: blobOf(blob, type), thumb: thumb && blobOf(thumb, thumbType) }
}

function withFiles(mutation: Mutation, update: (file: OutboxFile) => OutboxFile): Mutation {
  return mutation.kind === 'send' && mutation.files.length > 0
    ? { ...mutation, files: mutation.files.map(update) }
    : mutation
}

function withoutBytes(file: OutboxFile): OutboxFile {
  const { blob: _blob, thumb, ...rest } = file
  return { ...rest, hasThumb: thumb !== null } satisfies StoredFile as unknown as OutboxFile
}
