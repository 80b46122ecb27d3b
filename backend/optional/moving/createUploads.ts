import type { IncomingMessage } from 'node:http'
import { rename } from 'node:fs/promises'
import { createUploadStore, type OpenUpload } from '../../storage/resumable/createUploadStore.ts'
import { openChunk } from '../../storage/resumable/openChunk.ts'
import { readContentLength, readTusHeaders } from '../../storage/resumable/readTusHeaders.ts'
import { receiveChunk } from '../../storage/resumable/receiveChunk.ts'
import { tusErrors } from '../../storage/resumable/TusError.ts'

/** Bytes of all uploads together between two checks of the free space. */
const spaceCheckInterval = 16 * 1024 * 1024
const maxNameLength = 255

/** An upload that is not complete. */
export interface PendingUpload {
  id: string
  workspace: string
  fileName: string
  size: number
  offset: number
}

/** Resumable uploads of exports, by TUS 1.0: a workspace has at most one. */
export interface Uploads {
  find(workspace: string): PendingUpload | null
  /** Creates an upload of the size and name in the headers, which replaces the earlier one. Throws TusError, and what `requireSpace` throws. */
  create(o: {
    incoming: IncomingMessage
    id: string
    workspace: string
    profileId: string
  }): Promise<PendingUpload>
  /** Stores the body of a request. The last one moves the file to `target`. Throws TusError. Returns the offset. */
  receive(incoming: IncomingMessage, upload: PendingUpload, target: string): Promise<number>
  /** Interrupts a request that sends bytes, as the client has lost its connection. Returns the offset. */
  interrupt(upload: PendingUpload): Promise<number>
  remove(workspace: string): Promise<void>
  sweep(): Promise<void>
}

/** Opens the uploads in `dir`. Unfinished ones expire after a day. */
export async function createUploads(o: {
  dir: string
  maxBytes: number
  /** Throws if the disk has too little space for this many bytes. */
  requireSpace: (bytes: number) => Promise<void>
  now: () => number
}): Promise<Uploads> {
  const store = await createUploadStore(o.dir, o.now)
  let unchecked = 0
  const countWritten = async (size: number): Promise<void> => {
    unchecked += size
    if (unchecked < spaceCheckInterval) return
    await o.requireSpace(size)
    unchecked = 0
  }
  const openOf = (workspace: string): OpenUpload | null => {
    for (const version of store.versions()) {
      const upload = store.find(version)!
      if (upload.record.name === workspace && !store.isExpired(upload)) return upload
    }
    return null
  }
  const describe = ({ record }: OpenUpload): PendingUpload => ({
    id: record.version,
    workspace: record.name,
    fileName: record.metadata,
    size: record.length ?? 0,
    offset: record.offset,
  })
  const requireOpen = (id: string): OpenUpload => {
    const upload = store.find(id)
    if (upload === null || store.isExpired(upload)) throw tusErrors.gone()
    return upload
  }

  const removeUpload = async (upload: OpenUpload): Promise<void> => {
    const unlock = await upload.lock.acquire(() => {})
    try {
      await store.remove(upload)
    } finally {
      unlock()
    }
  }

  return {
    find(workspace) {
      const upload = openOf(workspace)
      return upload && describe(upload)
    },
    async create({ incoming, id, workspace, profileId }) {
      const { length, metadata } = readTusHeaders(incoming.headers)
      if (length === undefined || length === 0) throw tusErrors.lengthRequired()
      if (length > o.maxBytes) throw tusErrors.tooLarge()
      await o.requireSpace(length)
      const upload = await store.create(
        {
          version: id,
          bucket: 'imports',
          name: workspace,
          length,
          offset: 0,
          by: profileId,
          account: workspace,
          mimetype: 'application/zip',
          cacheControl: 'no-cache',
          metadata: (metadata?.get('filename') ?? '').slice(0, maxNameLength),
          created: o.now(),
        },
        null,
      )
      for (const version of store.versions())
        if (version !== id && store.find(version)!.record.name === workspace)
          await removeUpload(store.find(version)!)
      return describe(upload)
    },
    async receive(incoming, { id }, target) {
      const { offset, hasChunk } = readTusHeaders(incoming.headers)
      if (offset === undefined) throw tusErrors.offsetRequired()
      if (!hasChunk) throw tusErrors.wrongContentType()
      const upload = requireOpen(id)
      const chunk = openChunk(incoming)
      const unlock = await upload.lock.acquire(chunk.release)
      try {
        const { record } = upload
        if (store.find(id) !== upload) throw tusErrors.gone()
        if (offset !== record.offset) throw tusErrors.offsetConflict()
        const remaining = record.length! - record.offset
        const announced = readContentLength(incoming) ?? 0
        if (announced > remaining) throw tusErrors.sizeExceeded()
        await o.requireSpace(announced)
        const received = await receiveChunk(store, upload, chunk, {
          limit: remaining,
          checksum: null,
          countWritten,
        })
        if (received.offset === record.length) {
          await rename(upload.path, target)
          await store.remove(upload)
        }
        return received.offset
      } finally {
        chunk.release()
        unlock()
      }
    },
    async interrupt({ id }) {
      const upload = requireOpen(id)
      const unlock = await upload.lock.acquire(() => {})
      unlock()
      return upload.record.offset
    },
    async remove(workspace) {
      const upload = openOf(workspace)
      if (upload !== null) await removeUpload(upload)
    },
    sweep: async () => void (await store.sweep(async () => {})),
  }
}
