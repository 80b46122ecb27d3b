import type { ReactNode } from 'react'
import type { Mentionable } from '../../../../../wire/body/encodeMentions.ts'

/** A suggestion for what is being typed. */
export interface Choice {
  /** Unique within the list. */
  key: string
  icon: ReactNode
  label: string
  hint: string
  /** What replaces the typed text; a space follows. */
  insert: string
  /** What the inserted text mentions, if its name alone may be ambiguous. */
  mentioned?: Mentionable
  onPick?: () => void
}
