/** Messages between pages and their worker. A page may be of an older or a newer build than the worker. */

/** The worker requests access to storage; the page responds with `StorageAccess`, or null when nobody is signed in. */
export interface StorageAccessRequest {
  linnet: 'storage-access'
  /** A token that storage has refused; null: none was. */
  refused: string | null
}

export interface StorageAccess {
  /** Origin of the backend, without a trailing slash. */
  url: string
  key: string
  token: string
}

/** Sent to every page when a file could not be fetched, since its element receives no reason. */
export interface FileFailed {
  linnet: 'file-failed'
  /** `<channel>/<upload>/<file|thumb>`. */
  path: string
}

/** Sent to a page when a notification was clicked: it displays the path and responds. */
export interface OpenPath {
  linnet: 'open-path'
  path: string
}

/** Sent to every page when the browser has replaced its push subscription, which the server does not know yet. */
export interface PushSubscriptionChanged {
  linnet: 'push-subscription-changed'
}

/**
 * Sent by a page to the worker: `activate` makes a waiting one take over, `claim` makes it control the page, `store` stores
 * its build, `end-transfers` aborts all transfers at sign-out.
 */
export type PageMessage = { linnet: 'activate' | 'claim' | 'store' | 'end-transfers' }

/**
 * The lock under which the worker displays a notification and a page lists them. Chromium forgets a notification that is displayed
 * while they are listed: it stays on the screen, and a click on it does nothing.
 */
export const NOTIFICATION_LOCK = 'linnet.notifications'
