import type { Caller } from '../../../wire/claims.ts'

export type Extension = 'broadcast' | 'presence'
/** The values of the column `extension` that policies distinguish; `persistence` is only ever checked for writing. */
export type Permission = Extension | 'persistence'

/** May `caller` read or write these extensions of `topic`? */
export interface PermissionCheck {
  caller: Caller
  topic: string
  verb: 'read' | 'write'
  extensions: Permission[]
  /** Whether the result is no longer needed; the check is then skipped. */
  isCancelled?: () => boolean
}
