import { i18n } from '@lingui/core'
import { useEffect, useEffectEvent, useState } from 'react'
import { useChannel } from '../../../data/channels/channels.ts'
import { useClientSession } from '../../../data/hooks/useClientSession.ts'
import { slowModeEnd } from '../../../data/moderation/moderation.ts'
import { isOwnerOrAdmin } from '../../../data/workspaces/workspacePermissions.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import styles from '../writing/CharacterCount.module.css'

interface Props {
  channelId: string
  /** Whether the user has to wait before the next message. */
  onChange: (isWaiting: boolean) => void
}

/** In a channel with slow mode: how long the user waits until the next message. Those who manage the channel don't wait. */
export default function SlowModeNotice({ channelId, onChange }: Props) {
  const channel = useChannel(channelId)
  const { role } = useMe()
  if (typeof channel === 'string') return null
  const { slow_seconds: seconds } = channel.entry.channel
  // Absent in rows that this browser stored before there was slow mode.
  if (!seconds || isOwnerOrAdmin({ role }) || channel.entry.channel_role === 'admin') return null
  return <Countdown key={seconds} channelId={channelId} seconds={seconds} onChange={onChange} />
}

function Countdown({ channelId, seconds, onChange }: Props & { seconds: number }) {
  const [now, setNow] = useState(() => Date.now())
  const latest = useClientSession((session) => {
    const state = session?.store.get()
    const me = state?.me?.profile.id
    const messages = state?.channels.get(channelId)?.messages.values() ?? []
    let found = 0
    for (const { author_id, created_at } of messages)
      if (author_id === me) found = Math.max(found, Date.parse(created_at))
    return found
  })
  // Also after each own message, from whichever device: the database knows when the next one is accepted.
  const { value: end = 0 } = useQuery(slowModeEnd, [channelId], { revision: latest })
  const left = Math.ceil((end - now) / 1_000)
  const isWaiting = left > 0
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const change = useEffectEvent(onChange)
  useEffect(() => {
    change(isWaiting)
    return () => change(false)
  }, [isWaiting])

  return (
    <p className={styles.remaining}>
      {isWaiting
        ? i18n._('Slow mode: you can send your next message in {time}.', { time: clock(left) })
        : i18n._('Slow mode: {time} between your messages.', { time: duration(seconds) })}
    </p>
  )
}

/** "10 seconds", "1 minute", "6 hours". */
function duration(seconds: number): string {
  const [value, unit] =
    seconds % 3_600 === 0
      ? [seconds / 3_600, 'hour']
      : seconds % 60 === 0
        ? [seconds / 60, 'minute']
        : [seconds, 'second']
  return new Intl.NumberFormat(i18n.locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value)
}

/** "0:07", "1:30", "1:00:00". */
function clock(seconds: number): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const minutes = Math.floor(seconds / 60)
  const rest = two(seconds % 60)
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`
}
