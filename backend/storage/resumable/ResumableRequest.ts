import type { Operation } from '../operations.ts'
import type { Storage } from '../Storage.ts'
import type { UploadPrincipal } from './UploadPrincipal.ts'
import type { UploadStore } from './createUploads.ts'

/** What the verbs of an upload work with. */
export interface ResumableRequest {
  storage: Storage
  uploads: UploadStore
  /** Milliseconds since 1970. */
  now: () => number
  operation: Operation
  /** Who asks by token or key; null on the signed path, where the signature is read once the object is known. */
  bearer: UploadPrincipal | null
  /** The address below which this request's uploads lie. */
  root: string
}
