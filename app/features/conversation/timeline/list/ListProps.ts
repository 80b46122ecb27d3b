import type { ReactNode } from 'react'
import type { DiscardedMessage } from '../../../../data/messages/messages.ts'
import type { ListReadState } from '../readTracking/useReadTracking.ts'
import type { Row } from '../../message/timelineRows.ts'

export interface ListProps {
  label: string
  scope: 'channel' | 'thread'
  /** Identifies the list, so that its scroll position is restored: the channel's id, or the thread's root. */
  listKey: string
  /** Profile id of the reader. */
  me: string
  rows: Row[]
  hasBefore: boolean
  hasAfter: boolean
  mayPost: boolean
  editing: string | null
  /** Null: reading is not tracked. */
  readState: ListReadState | null
  /** Rendered above the first row, once the beginning is loaded (in a thread: always). */
  intro?: ReactNode
  onEdit: (id: string | null) => void
  /** Receives the text of a discarded message; null where there is no composer. */
  onRestore: ((message: DiscardedMessage) => void) | null
  /** Called when the reader has scrolled, or a second after the list opened with the server's rows. */
  onMoved: () => void
  onNearStart: () => void
  onNearEnd?: (() => void) | undefined
  /** Loads the newest messages. */
  onEnd?: () => void
  /** Loads the first messages. */
  onStart?: () => void
}
