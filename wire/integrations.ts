/** A token, webhook or command of a bot. */
export interface Integration {
  /** The person who created it no longer manages the workspace, and may know its secret. */
  is_unmanaged: boolean
}
