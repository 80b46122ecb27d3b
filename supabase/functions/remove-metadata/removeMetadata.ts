// oxlint-disable no-await-in-loop -- an object is read and written in order
import type { ByteSource } from '../../../wire/media/ByteSource.ts'
import { findMetadata } from '../../../wire/media/findMetadata.ts'
import { overwriteChunk } from '../../../wire/media/Overwrites.ts'

export interface StoredObject {
  bucket: string
  name: string
  /** Bytes. */
  size: number
  type: string
  cache_control: string
}

export interface ObjectStore {
  /** Reads bytes of an object; null if it does not exist. */
  read(object: StoredObject, offset: number, length: number): Promise<Uint8Array | null>
  /** Begins the replacement of an object with one of the same length. Returns the address of the upload. */
  beginUpload(object: StoredObject): Promise<string>
  /** Sends the next bytes. The object is replaced with the last of them. */
  sendChunk(upload: string, offset: number, chunk: Uint8Array): Promise<void>
}

/** Bytes of a request. Hosted storage accepts only chunks of exactly this size, besides the last one. */
const chunkBytes = 6 * 1024 * 1024
/** Bytes that are read at once: a picture is read from its beginning to its end. */
const blockBytes = 1024 * 1024

class ObjectGone extends Error {}

/**
 * Removes the metadata of a picture or video by its content. One chunk at a time is in memory. Throws if the object has
 * metadata afterwards.
 * @returns whether the object is replaced
 */
export async function removeMetadata(store: ObjectStore, object: StoredObject): Promise<boolean> {
  const find = () => findMetadata(createSource(store, object), { name: '', type: '' })
  try {
    const { overwrites } = await find()
    if (overwrites.length === 0) return false
    const upload = await store.beginUpload(object)
    for (let offset = 0; offset < object.size; offset += chunkBytes) {
      const chunk = await store.read(object, offset, Math.min(chunkBytes, object.size - offset))
      if (chunk === null) throw new ObjectGone()
      overwriteChunk(chunk, offset, overwrites)
      await store.sendChunk(upload, offset, chunk)
    }
    const left = await find()
    if (left.overwrites.length > 0) throw new Error('The object still has metadata.')
    return true
  } catch (error) {
    // It was deleted meanwhile.
    if (error instanceof ObjectGone) return false
    throw error
  }
}

/** An object, of which the last read block is in memory. */
function createSource(store: ObjectStore, object: StoredObject): ByteSource {
  let block = new Uint8Array()
  let start = 0
  return {
    size: object.size,
    async read(offset, length) {
      const end = Math.min(offset + length, object.size)
      if (offset < start || end > start + block.length) {
        const read = await store.read(
          object,
          offset,
          Math.min(Math.max(length, blockBytes), object.size - offset),
        )
        if (read === null) throw new ObjectGone()
        block = new Uint8Array(read)
        start = offset
      }
      return block.subarray(offset - start, end - start)
    },
  }
}
