/**
 * What a server and the release that it starts send to each other, over the channel of the child process. All later versions
 * have to understand these messages: one version sends them to another one.
 */
export type ReleaseMessage =
  /** The code is loaded. The release waits for `start`. */
  | { linnet: 'loaded' }
  /** The data are migrated, and all services have started. The release accepts no request yet: it waits for `serve` or `stop`. */
  | { linnet: 'prepared' }
  /** The release accepts requests. */
  | { linnet: 'ready'; url: string; secretKey: string }
  /** The release can't start, and ends. */
  | { linnet: 'failed'; reason: string }
  /** Another release is about to take the place of this one, which waits until the parent has loaded the code: `loaded`. */
  | { linnet: 'replacing'; request: SwitchRequest }
  /** The release ends so that another one takes its place. */
  | { linnet: 'replaced'; request: SwitchRequest }

export type ParentMessage =
  | { linnet: 'start' }
  | { linnet: 'serve' }
  | { linnet: 'stop' }
  /** The response to `replacing`. The reason is empty unless the code can't be loaded. */
  | { linnet: 'loaded'; reason: string }

/** The request to continue with another release. */
export interface SwitchRequest {
  /** The name of the directory in `releases`. */
  release: string
  /** The folder of the copy of the database; empty if the release moves the data to another major version of PostgreSQL. */
  copy: string
  /** The first file of the WAL that the copy needs; empty if there is no copy, or a complete one. */
  firstWalFile: string
  /** Milliseconds that the release has for its migrations and its start. */
  timeoutMs: number
}

/** The environment variable of a started release. */
export const releaseVariable = 'LINNET_RELEASE_START'

/**
 * - `switch`: the release takes the data over from another version.
 * - `return`: the release runs again after another version has failed; it restores the data first.
 * - `rehearsal`: the data are a copy. Nothing is sent to other servers, and no job runs.
 */
export type ReleaseStart = 'switch' | 'return' | 'rehearsal'
