import type { ByteStore } from '../bytes/createByteStore.ts'
import type { Renderings } from './createRenderings.ts'

/** The store of bytes, which with a version also takes away every picture made of it. */
export function invalidateThumbnails(bytes: ByteStore, renderings: Renderings): ByteStore {
  return {
    ...bytes,
    async discard(version) {
      await bytes.discard(version)
      await renderings.remove(version)
    },
  }
}
