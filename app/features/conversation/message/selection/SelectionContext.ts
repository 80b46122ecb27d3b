import { createContext, type RefObject } from 'react'
import type { Message } from '../../../../../wire/messages.ts'
import type { Row } from '../timelineRows.ts'

/** Messages of a list that are selected. */
export interface MessageSelection {
  /** By id, as they were when they were selected. */
  messages: ReadonlyMap<string, Message>
  /** Where a range begins: the message that was selected by itself last. */
  anchor: Message
  /** What the range from the anchor has added. */
  range: ReadonlySet<string>
}

export interface SelectionState {
  /** Null: no messages are being selected. */
  selection: MessageSelection | null
  change: (selection: MessageSelection | null) => void
  rows: RefObject<readonly Row[]>
}

/** The selection of the list that a row is in; null where messages can't be selected. */
export const SelectionContext = createContext<SelectionState | null>(null)
