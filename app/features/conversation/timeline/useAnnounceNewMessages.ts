import { useEffect, useRef } from 'react'
import { useMembers } from '../../../data/people/people.ts'
import { canBeUnread } from './readTracking/rowNumbers.ts'
import type { Row } from '../message/timelineRows.ts'

/** Messages within this time are announced in one sentence, after the longer time at the latest. */
const BATCH_MS = 1_500
const MAX_WAIT_MS = 6_000

const loadAnnouncements = () => import('./announceMessages.ts')

/**
 * Announces new messages of others to screen readers: the text of a single one, else their number. Older pages loaded
 * by scrolling are not new: with `hasAfter` the end is not loaded.
 */
export function useAnnounceNewMessages(rows: Row[], me: string, hasAfter: boolean): void {
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
        const batch = waiting.current
        waiting.current = []
        loadAnnouncements().then(
          ({ announceMessages }) => announceMessages(batch, me, members),
          // The network ended just after they had arrived: they are announced with the next ones.
          () => void waiting.current.unshift(...batch),
        )
      },
      Math.min(BATCH_MS, Math.max(0, MAX_WAIT_MS - waited)),
    )
  }, [rows, me, members, hasAfter])

  useEffect(() => () => clearTimeout(timer.current), [])
}
