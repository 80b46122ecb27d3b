/** Messages between pages and their worker. A page may be of an older or a newer build than the worker. */

/** The worker requests access to storage; the page responds with `StorageAccess`, or null when nobody is signed in. */
export interface StorageAccessRequest {
  linnet: 'storage-access'
  /** A token that storage has refused: another is wanted. */
  refused: string | null
}

export interface StorageAccess {
  /** Origin of the backend, without a slash at its end. */
  url: string
  key: string
  token: string
}

/** The worker notifies every page that a file could not be fetched, since an element that shows it gets no reason. */
export interface FileFailed {
  linnet: 'file-failed'
  /** `<channel>/<upload>/<file|thumb>`. */
  path: string
}

/**
 * What a page sends to the worker: to control it too; to store the worker's build; or to end every transfer, since the
 * person signs out.
 */
export type PageMessage = { linnet: 'claim' } | { linnet: 'store' } | { linnet: 'end-transfers' }
