import { i18n } from '@lingui/core'
import { useEffect, useRef } from 'react'
import { useMembers } from '../../data/people.ts'
import { announce } from '../../ui/announce.ts'
import { authorOf, type Row } from './timelineRows.ts'

/** Arrivals within this time are said in one sentence. */
const TOGETHER = 1_500

/** Tells screen readers of words that others add at the end: the words when it is one, else how many. */
export function useSpokenArrivals(rows: Row[], me: string): void {
  const members = useMembers()
  const last = useRef<string | null>(null)
  const waiting = useRef<Row[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  useEffect(() => {
    const before = last.current
    last.current = rows.at(-1)?.id ?? null
    const at = rows.findIndex((row) => row.id === before)
    if (before === null || at < 0) return
    const arrived = rows.slice(at + 1).filter((row) => authorOf(row.item, me) !== me)
    if (arrived.length === 0) return
    waiting.current.push(...arrived)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      const said = waiting.current
      waiting.current = []
      const [only] = said
      if (only && said.length === 1) {
        const author = members.find((member) => member.profile.id === authorOf(only.item, me))
        announce(`${author?.profile.name ?? ''}: ${only.item.message.body.slice(0, 200)}`)
      } else {
        announce(
          i18n._('{count, plural, one {# new message} other {# new messages}}', { count: said.length }),
        )
      }
    }, TOGETHER)
  }, [rows, me, members])

  useEffect(() => () => clearTimeout(timer.current), [])
}
