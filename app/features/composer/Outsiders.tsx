import { i18n } from '@lingui/core'
import { useDeferredValue, useState } from 'react'
import { addMembers } from '../../data/channels/channelCommands.ts'
import { useChannel, type ChannelView } from '../../data/channels/channels.ts'
import { useMembers } from '../../data/people/people.ts'
import { isolated } from '../../data/people/isolateBidi.ts'
import { rightsIn } from '../../data/channels/channelPermissions.ts'
import { Button } from '../../ui/Button.tsx'
import { useNotice } from '../../ui/notice.ts'
import { useChannelPeople } from '../channel/useChannelPeople.ts'
import { useMe } from '../people/MeContext.ts'
import styles from './Composer.module.css'
import { calledPeople, encodeMentions, type Mentionable } from './mentionText.ts'

interface Props {
  channelId: string
  text: string
  people: Mentionable[]
}

/** Says of people who are called but don't belong here that they won't hear of it, and offers to add them. */
export default function Outsiders({ channelId, ...rest }: Props) {
  const channel = useChannel(channelId)
  return typeof channel === 'string' ? null : <Within channel={channel} {...rest} />
}

function Within({ channel, text, people }: Omit<Props, 'channelId'> & { channel: ChannelView }) {
  const { role, profile } = useMe()
  const members = useMembers()
  const notice = useNotice()
  const [busy, setBusy] = useState(false)
  const { entry } = channel
  const known = useChannelPeople(channel.id, entry.counters.meta_rev)
  const settled = useDeferredValue(text)
  const inside = entry.channel.people ?? known?.map((one) => one.profile_id)
  if (!inside) return null
  const called = calledPeople(encodeMentions(settled, people))
  const outside = members.filter(
    (member) =>
      called.includes(member.profile.id) &&
      !inside.includes(member.profile.id) &&
      member.profile.id !== profile.id,
  )
  if (outside.length === 0) return null
  const names = new Intl.ListFormat(i18n.locale, { type: 'conjunction' }).format(
    outside.map((member) => isolated(member.profile.name)),
  )
  const add = async () => {
    setBusy(true)
    const outcome = await addMembers(
      channel.id,
      outside.map((member) => member.profile.id),
    )
    setBusy(false)
    if (!outcome.ok) notice({ words: outcome.failure.sentence })
  }
  const readsAnyway = channel.kind === 'public' && outside.every((member) => member.role !== 'guest')
  const count = outside.length
  return (
    <div className={styles.outsiders} role="status">
      <p>
        {readsAnyway
          ? i18n._(
              '{count, plural, one {{names} isn’t in this channel, so they won’t be notified.} other {{names} aren’t in this channel, so they won’t be notified.}}',
              { count, names },
            )
          : i18n._(
              '{count, plural, one {{names} isn’t in this conversation and won’t see it.} other {{names} aren’t in this conversation and won’t see it.}}',
              { count, names },
            )}
      </p>
      {rightsIn(entry, role).addPeople ? (
        <Button look="quiet" busy={busy} onClick={() => void add()}>
          {i18n._('Add to the channel')}
        </Button>
      ) : null}
    </div>
  )
}
