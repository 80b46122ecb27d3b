import { i18n } from '@lingui/core'
import type { Member } from '../../../../wire/people.ts'
import { announce } from '../../../ui/announce.ts'
import { excerptOf } from '../../parts/body/excerptOf.ts'
import { authorOf, type Row } from '../message/timelineRows.ts'

/** Characters of a message that are read aloud. */
const MAX_CHARACTERS = 200

/** Announces messages to screen readers: the text of a single one, else their number. */
export function announceMessages(rows: readonly Row[], me: string, members: readonly Member[]): void {
  const nameOf = (id: string) => members.find((member) => member.profile.id === id)?.profile.name ?? null
  const [only] = rows
  if (only?.item.kind === 'message' && rows.length === 1) {
    const text = excerptOf(only.item.message)
    announce(`${nameOf(authorOf(only.item, me)) ?? ''}: ${text.slice(0, MAX_CHARACTERS)}`)
  } else {
    announce(i18n._('{count, plural, one {# new message} other {# new messages}}', { count: rows.length }))
  }
}
