import type { Operation } from '../operations.ts'
import type { Storage } from '../Storage.ts'
import type { UploadPrincipal } from './UploadPrincipal.ts'
import type { UploadStore } from './createUploadStore.ts'

/** The context of a request to an upload. */
export interface ResumableRequest {
  storage: Storage
  uploads: UploadStore
  /** Milliseconds since 1970. */
  now: () => number
  operation: Operation
  /** The principal by token or key; null on the signed path, where the signature is verified once the object is known. */
  bearer: UploadPrincipal | null
  /** The base URL of uploads for this request. */
  root: string
}
