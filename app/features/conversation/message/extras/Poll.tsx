import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import type { Message, Poll as PollContent, Reaction } from '../../../../../wire/messages.ts'
import { closePoll, vote } from '../../../../data/messages/polls.ts'
import { isPollKey, pollKey } from '../../../../data/messages/reactionKeys.ts'
import type { Outcome } from '../../../../data/failures/failures.ts'
import { cx } from '../../../../ui/cx.ts'
import { formatDayAndTime } from '../../../../ui/dates.ts'
import { useToast } from '../../../../ui/toast.ts'
import { useMe } from '../../../parts/members/MeContext.ts'
import { useNames } from '../../../parts/members/useNames.ts'
import styles from './Poll.module.css'
import { useManagesChannel } from './useManagesChannel.ts'

interface Props {
  poll: PollContent
  /** Null while it is being sent. */
  message: Message | null
  mayVote: boolean
}

/** A poll: its options with live results, and who chose each unless it is anonymous. */
export function Poll({ poll, message, mayVote }: Props) {
  const me = useMe()
  const showToast = useToast()
  const isClosed = useIsPast(poll.closes_at)
  const votes = message?.reactions.filter(({ emoji }) => isPollKey(emoji)) ?? []
  const total = votes.reduce((sum, { count }) => sum + count, 0)
  const report = (outcome: Outcome) => {
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  const mayClose = useManagesChannel(message) || message?.author_id === me.profile.id
  return (
    <fieldset className={styles.poll}>
      <legend className={styles.rule}>
        {poll.multiple ? i18n._('Choose one or more') : i18n._('Choose one')}
        {poll.anonymous ? ` · ${i18n._('Anonymous')}` : ''}
      </legend>
      {poll.options.map((option, index) => (
        <Option
          key={option}
          label={option}
          type={poll.multiple ? 'checkbox' : 'radio'}
          votes={votes.find(({ emoji }) => emoji === pollKey(index))}
          total={total}
          isAnonymous={poll.anonymous}
          disabled={!message || !mayVote || isClosed}
          onVote={(on) => message && void vote(message, index, on).then(report)}
        />
      ))}
      <p className={styles.footer}>
        <span>{i18n._('{total, plural, =0 {No votes yet} one {# vote} other {# votes}}', { total })}</span>
        {isClosed ? (
          <span>{i18n._('Closed')}</span>
        ) : poll.closes_at ? (
          <span>{i18n._('Closes {when}', { when: formatDayAndTime(poll.closes_at) })}</span>
        ) : null}
        {message && mayVote && mayClose && !isClosed ? (
          <button type="button" className={styles.close} onClick={() => void closePoll(message).then(report)}>
            {i18n._('Close poll')}
          </button>
        ) : null}
      </p>
    </fieldset>
  )
}

interface OptionProps {
  label: string
  type: 'checkbox' | 'radio'
  votes: Reaction | undefined
  total: number
  isAnonymous: boolean
  disabled: boolean
  onVote: (on: boolean) => void
}

function Option({ label, type, votes, total, isAnonymous, disabled, onVote }: OptionProps) {
  const count = votes?.count ?? 0
  const isMine = votes?.mine === true
  const who = useNames(votes?.people ?? [], count)
  const sum = i18n._('{count, plural, one {# vote} other {# votes}}', { count })
  const isNamed = count > 0 && !isAnonymous
  return (
    <label className={cx(styles.option, isMine && styles.chosen)} title={isNamed ? who : undefined}>
      <span
        className={styles.bar}
        style={{ inlineSize: `${total ? (100 * count) / total : 0}%` }}
        aria-hidden
      />
      {/* A radio button can't be taken back by a second click, a vote can. */}
      <input
        type={type}
        aria-label={[label, sum, ...(isNamed ? [who] : [])].join(', ')}
        checked={isMine}
        disabled={disabled}
        onChange={() => onVote(!isMine)}
        onClick={() => type === 'radio' && isMine && onVote(false)}
      />
      <span className={styles.label} dir="auto">
        {label}
      </span>
      <span className={styles.count}>{sum}</span>
    </label>
  )
}

/** The longest timer of browsers, ms. */
const MAX_TIMER_MS = 2_147_483_647

/** Whether a time has passed; renders again when it does. */
function useIsPast(at: string | null): boolean {
  const [now, setNow] = useState(() => Date.now())
  const remaining = at === null ? Infinity : Date.parse(at) - now
  useEffect(() => {
    if (remaining <= 0 || remaining > MAX_TIMER_MS) return
    const timer = setTimeout(() => setNow(Date.now()), remaining)
    return () => clearTimeout(timer)
  }, [remaining])
  return remaining <= 0
}
