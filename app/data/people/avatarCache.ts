import { readAvatar } from '../files/storageClient.ts'
import { createFileCache } from '../files/download/fileCache.ts'
import { onClearFiles } from '../files/download/clearFiles.ts'
import { limitConcurrency } from '../client/limitConcurrency.ts'

export { watchBytes } from '../files/download/watchBytes.ts'

/** Bytes of cached avatars that are not displayed. An avatar of the app has about 10 KB. */
const MAX_UNUSED_BYTES = 8 * 1024 * 1024
/** Parallel requests. Browsers open six connections to a server without HTTP/2; some must stay free for messages. */
const MAX_PARALLEL = 3

/** Avatars by path, shared by everything that displays them. */
export const avatarCache = createFileCache(limitConcurrency(readAvatar, MAX_PARALLEL), MAX_UNUSED_BYTES)

onClearFiles(() => avatarCache.clear())
