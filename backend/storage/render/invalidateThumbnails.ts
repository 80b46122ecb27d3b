import type { ByteStore } from '../bytes/createByteStore.ts'
import type { Renderings } from './createRenderings.ts'

/** The byte store, extended to remove all thumbnails of a discarded version. */
export function invalidateThumbnails(bytes: ByteStore, renderings: Renderings): ByteStore {
  return {
    ...bytes,
    async discard(version) {
      await bytes.discard(version)
      await renderings.remove(version)
    },
  }
}
