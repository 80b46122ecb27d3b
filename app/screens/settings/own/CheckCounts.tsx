import { i18n } from '@lingui/core'
import { useState } from 'react'
import {
  checkCounts,
  type CountsDifference,
  type CountsReport,
} from '../../../data/sync/check/reportDifferences.ts'
import { useConnection } from '../../../data/session/useWorkspace.ts'
import { Button } from '../../../ui/Button.tsx'
import { formatTime } from '../../../ui/dates.ts'
import styles from './CheckCounts.module.css'

/** Differences listed in full; more are only counted. */
const MAX_LISTED = 50

/** Compares the shown data with a fresh fetch, because wrong unread counts are hard to notice and to report. */
export function CheckCounts() {
  const offline = useConnection() === 'offline'
  const [busy, setBusy] = useState(false)
  const [report, setReport] = useState<{ at: string; counts: CountsReport } | null>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const check = async () => {
    setBusy(true)
    setFailure(null)
    const outcome = await checkCounts()
    setBusy(false)
    if (outcome.ok) setReport({ at: new Date().toISOString(), counts: outcome.value })
    else setFailure(outcome.failure.message)
  }
  return (
    <div className={styles.check}>
      <p>
        {i18n._(
          'Counts your unread messages, mentions and threads again on the server, message by message, and compares them and everything else on this device with what Linnet shows you.',
        )}
      </p>
      <div>
        <Button busy={busy} disabled={offline} onClick={() => void check()}>
          {busy ? i18n._('Checking…') : i18n._('Check my counts')}
        </Button>
      </div>
      <div role="status" className={styles.report}>
        {offline ? (
          <p className={styles.muted}>{i18n._('You’re offline. Reconnect to run this check.')}</p>
        ) : null}
        {failure ? <p>{failure}</p> : null}
        {report && !busy && !failure ? <Report at={report.at} counts={report.counts} /> : null}
      </div>
    </div>
  )
}

function Report({ at, counts }: { at: string; counts: CountsReport }) {
  const { compared, differences, totals } = counts
  const time = formatTime(at)
  if (differences.length === 0) {
    return (
      <>
        <p className={styles.summary}>{i18n._('Everything matches.')}</p>
        <Totals totals={totals} />
        <p className={styles.muted}>
          {i18n._('Checked {compared, plural, one {# item} other {# items}} at {time}.', {
            compared,
            time,
          })}
        </p>
      </>
    )
  }
  const count = differences.length
  return (
    <>
      <p className={styles.summary}>
        {i18n._(
          '{count, plural, one {# item was out of date and has been corrected.} other {# items were out of date and have been corrected.}}',
          { count },
        )}
      </p>
      <p className={styles.muted}>
        {i18n._('Checked {compared, plural, one {# item} other {# items}} at {time}.', { compared, time })}
      </p>
      <ul className={styles.list}>
        {differences.slice(0, MAX_LISTED).map((one) => (
          <li key={JSON.stringify(one)} className={styles.difference}>
            <Difference one={one} />
          </li>
        ))}
      </ul>
      {count > MAX_LISTED ? (
        <p className={styles.muted}>{i18n._('and {more} more', { more: count - MAX_LISTED })}</p>
      ) : null}
    </>
  )
}

/** What was counted, in the numbers of the sidebar. */
function Totals({ totals }: { totals: CountsReport['totals'] }) {
  const { unread, mentions, threads } = totals
  return (
    <p>
      {[
        i18n._('{unread, plural, one {# unread message} other {# unread messages}}', { unread }),
        i18n._('{mentions, plural, one {# mention} other {# mentions}}', { mentions }),
        i18n._('{threads, plural, one {# thread with new replies} other {# threads with new replies}}', {
          threads,
        }),
      ].join(' · ')}
    </p>
  )
}

function Difference({ one }: { one: CountsDifference }) {
  return (
    <>
      <p>
        {one.what}
        {one.conversation ? (
          <>
            {', '}
            <bdi>{one.conversation}</bdi>
          </>
        ) : null}
      </p>
      <p className={styles.muted}>
        {i18n._('Was showing:')} <bdi>{one.shown}</bdi>
      </p>
      <p className={styles.muted}>
        {i18n._('Correct value:')} <bdi>{one.fetched}</bdi>
      </p>
    </>
  )
}
