import type { Uuid } from '../../../wire/linnet.ts'
import { deedFromShelf } from '../sync/outbox/deeds.ts'
import type { Deed, OutboxFile } from '../sync/outbox/deeds.ts'
import type { OutboxShelf } from '../sync/outbox/outbox.ts'
import type { KeptFile, Tables } from './tables.ts'

type Bytes = Pick<OutboxFile, 'blob' | 'thumb'>
type Change = (deeds: readonly Deed[]) => readonly Deed[]

/** A file as it lies with its deed: its bytes are elsewhere. */
interface StoredFile extends Omit<OutboxFile, 'blob' | 'thumb'> {
  hasThumb: boolean
}

/**
 * The outbox in IndexedDB. All pages change it in turn, each change one transaction. The bytes of files lie apart and are
 * written once. Where there is no room for them, or they can't be read, `unkept` is told: the deed is kept without, and
 * they stay in this page alone. A file that is empty though it has a size was lost with another page.
 */
export function tableShelf(tables: () => Promise<Tables>, unkept: () => void = () => {}): OutboxShelf {
  /** The same bytes for the same file in each answer. */
  const held = new Map<Uuid, Bytes>()

  /** What lies there, each file with its bytes. */
  async function whole(
    kept: readonly unknown[],
    read: (id: Uuid) => Promise<KeptFile | undefined>,
    inline = new Set<Uuid>(),
  ) {
    const deeds = kept.flatMap((one) => deedFromShelf(one) ?? [])
    const files = filesOf(deeds)
    const ids = new Set(files.map((file) => file.id))
    for (const id of held.keys()) if (!ids.has(id)) held.delete(id)
    await Promise.all(
      files.map(async (file) => {
        // An earlier version of the app kept the bytes with their deed.
        if (file.blob instanceof Blob) inline.add(file.id)
        const bytes = held.get(file.id) ?? (inline.has(file.id) ? file : await read(file.id))
        if (bytes) held.set(file.id, { blob: bytes.blob, thumb: bytes.thumb })
      }),
    )
    return deeds.map((deed) => (deed.kind === 'send' ? withFiles(deed, (file) => restored(file)) : deed))
  }

  function restored(file: OutboxFile): OutboxFile {
    const { hasThumb, ...rest } = file as unknown as StoredFile
    const lost = { blob: new Blob([]), thumb: hasThumb ? new Blob([]) : null }
    return Object.assign({}, rest, held.get(file.id) ?? lost)
  }

  /** The files whose bytes it wrote, or would have. */
  async function attempt(
    how: Change,
    o: { draft: string | undefined; bytes: (fresh: OutboxFile[]) => boolean },
  ) {
    const transaction = (await tables()).transaction(['outbox', 'files', 'drafts'], 'readwrite')
    const [table, bytes] = [transaction.objectStore('outbox'), transaction.objectStore('files')]
    const inline = new Set<Uuid>()
    const kept = await whole(await table.getAll(), (id) => bytes.get(id), inline)
    const before = kept.sort((a, b) => a.order - b.order)
    const after = how(before)
    const [known, left] = [new Set(before), new Set(after.map((one) => one.id))]
    const changed = after.filter((one) => !known.has(one))
    const was = new Set(filesOf(before).map((file) => file.id))
    const stays = new Set(filesOf(after).map((file) => file.id))
    const fresh = filesOf(changed).filter((file) => !was.has(file.id) || inline.has(file.id))
    try {
      await Promise.all([
        ...before.filter((one) => !left.has(one.id)).map((one) => table.delete(one.id)),
        ...changed.map((one) => table.put(one.kind === 'send' ? withFiles(one, stored) : one)),
        ...[...was].filter((id) => !stays.has(id)).map((id) => bytes.delete(id)),
        ...(o.bytes(fresh) ? fresh.map(async ({ id, blob, thumb }) => bytes.put({ id, blob, thumb })) : []),
        ...(o.draft === undefined ? [] : [transaction.objectStore('drafts').delete(o.draft)]),
        transaction.done,
      ])
    } catch (error) {
      // All of it or nothing: a value that can't be kept is refused before the transaction would fail by itself.
      transaction.done.catch(() => {})
      if (transaction.error === null) transaction.abort()
      throw error
    }
    return { after, fresh }
  }

  return {
    all: async () => {
      const db = await tables()
      return whole(await db.getAll('outbox'), (id) => db.get('files', id))
    },
    change: async (how, draft) => {
      let heavy = false
      let roomy = true
      const bytes = (fresh: OutboxFile[]) => {
        heavy = fresh.length > 0
        return roomy
      }
      const { after, fresh } = await attempt(how, { draft, bytes }).catch((error: unknown) => {
        if (!heavy) throw error
        roomy = false
        return attempt(how, { draft, bytes })
      })
      if (fresh.length === 0) return after
      if (!roomy) unkept()
      const db = roomy ? await tables() : null
      await Promise.all(
        fresh.map(async ({ id, blob, thumb }) => {
          // From here on what lies here is read, whatever becomes of the file on disk.
          const copy = await db?.get('files', id).catch(() => undefined)
          held.set(id, copy ? { blob: copy.blob, thumb: copy.thumb } : { blob, thumb })
        }),
      )
      return after.map((deed) =>
        deed.kind === 'send' ? withFiles(deed, (file) => restored(stored(file))) : deed,
      )
    },
  }
}

function filesOf(deeds: readonly Deed[]): OutboxFile[] {
  return deeds.flatMap((deed) => (deed.kind === 'send' ? deed.files : []))
}

function withFiles<D extends Extract<Deed, { kind: 'send' }>>(
  deed: D,
  how: (file: OutboxFile) => OutboxFile,
): D {
  return deed.files.length === 0 ? deed : { ...deed, files: deed.files.map(how) }
}

function stored(file: OutboxFile): OutboxFile {
  const { blob: _blob, thumb, ...rest } = file
  return { ...rest, hasThumb: thumb !== null } satisfies StoredFile as unknown as OutboxFile
}
