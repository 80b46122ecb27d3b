import { readAvatar } from '../files/reading/bytes.ts'
import { fileCache } from '../files/reading/fileCache.ts'
import { onForgetFiles } from '../files/reading/forgetFiles.ts'
import { limitParallel } from './limitParallel.ts'

export { followBytes } from '../files/reading/followBytes.ts'

/** Bytes of avatars in memory that nothing displays now. One of ours has about 10 KB. */
const MAX_UNUSED_BYTES = 8 * 1024 * 1024
/** A browser opens six connections to a server without HTTP/2: some must stay free for messages. */
const MAX_PARALLEL = 3

/** Avatars by path, shared by everything that displays them. */
export const avatarCache = fileCache(limitParallel(readAvatar, MAX_PARALLEL), MAX_UNUSED_BYTES)

onForgetFiles(() => avatarCache.clear())
