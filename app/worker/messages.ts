/** What pages and their worker tell each other. A page may be older than the worker it talks to, or newer. */

/** The worker asks for what a fetch needs; the page answers with a `Pass`, or null when nobody is signed in. */
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

/** The worker tells every page that a file could not be had: an element that shows it has no words for why. */
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
