import { i18n } from '@lingui/core'
import { useEffect, useRef } from 'react'
import { useMembers } from '../../data/people/people.ts'
import { announce } from '../../ui/announce.ts'
import { decodeMentions } from '../composer/mentionText.ts'
import { canBeUnread } from './reading/numbers.ts'
import { authorOf, type Row } from './timelineRows.ts'

/** Arrivals this close together (ms) are said in one sentence, and nothing waits longer than the longer time. */
const TOGETHER = 1_500
const AT_LAST = 6_000
/** A message is read out up to here; the rest stands in the list. */
const CHARACTERS = 200

/**
 * Tells screen readers of words that others add at the end: the words when it is one, else how many. Older pages
 * that come as one scrolls are no arrivals: `hasAfter` says that the end isn't here.
 */
export function useSpokenArrivals(rows: Row[], me: string, hasAfter: boolean): void {
  const members = useMembers()
  const last = useRef<string | null>(null)
  const waiting = useRef<Row[]>([])
  const since = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    const before = last.current
    last.current = hasAfter ? null : (rows.at(-1)?.id ?? null)
    const at = rows.findIndex((row) => row.id === before)
    if (before === null || at < 0) return
    const arrived = rows.slice(at + 1).filter((row) => canBeUnread(row, me))
    if (arrived.length === 0) return
    if (waiting.current.length === 0) since.current = performance.now()
    waiting.current.push(...arrived)
    clearTimeout(timer.current)
    const waited = performance.now() - since.current
    timer.current = setTimeout(
      () => {
        const said = waiting.current
        waiting.current = []
        const nameOf = (id: string) =>
          members.find((member) => member.profile.id === id)?.profile.name ?? null
        const [only] = said
        if (only && said.length === 1) {
          const words = decodeMentions(only.item.message.body, nameOf)
          announce(`${nameOf(authorOf(only.item, me)) ?? ''}: ${words.slice(0, CHARACTERS)}`)
        } else {
          announce(
            i18n._('{count, plural, one {# new message} other {# new messages}}', { count: said.length }),
          )
        }
      },
      Math.min(TOGETHER, Math.max(0, AT_LAST - waited)),
    )
  }, [rows, me, members, hasAfter])

  useEffect(() => () => clearTimeout(timer.current), [])
}
