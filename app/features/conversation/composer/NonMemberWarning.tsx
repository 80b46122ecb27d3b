import { i18n } from '@lingui/core'
import { useDeferredValue, useState } from 'react'
import { addMembers } from '../../../data/channels/manageChannels.ts'
import { useChannel, type ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { useMembers } from '../../../data/people/people.ts'
import { isolateBidi } from '../../../data/people/isolateBidi.ts'
import { channelPermissions } from '../../../data/channels/channelPermissions.ts'
import { Button } from '../../../ui/Button.tsx'
import { useToast } from '../../../ui/toast.ts'
import { channelPeople } from '../../../data/channels/channelPeople.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useMe } from '../../parts/members/MeContext.ts'
import styles from './Composer.module.css'
import { encodeMentions, unknownNames, type Mentionable } from '../../../../wire/body/encodeMentions.ts'
import { mentionedIds } from '../../parts/body/mentionText.ts'

interface Props {
  channelId: string
  text: string
  people: readonly Mentionable[]
}

/** Warns that mentioned people who are not members won't be notified, and offers to add them. It also lists names that nobody has. */
export default function NonMemberWarning({ channelId, ...rest }: Props) {
  const channel = useChannel(channelId)
  return typeof channel === 'string' ? null : <Warning channel={channel} {...rest} />
}

function Warning({ channel, text, people }: Omit<Props, 'channelId'> & { channel: ChannelWithPermissions }) {
  const { role, profile } = useMe()
  const members = useMembers()
  const showToast = useToast()
  const [busy, setBusy] = useState(false)
  const { entry } = channel
  const { value: joined } = useQuery(channelPeople, [channel.id], { revision: entry.counters.meta_rev })
  const deferredText = useDeferredValue(text)
  const memberIds = entry.channel.people ?? joined?.map((one) => one.profile_id)
  if (!memberIds) return null
  const encoded = encodeMentions(deferredText, people)
  const mentioned = mentionedIds(encoded)
  const unknown = unknownNames(encoded)
  const notice = members.filter(
    (member) =>
      mentioned.includes(member.profile.id) &&
      !memberIds.includes(member.profile.id) &&
      member.profile.id !== profile.id,
  )
  if (notice.length === 0) return unknown.length === 0 ? null : <UnknownNames names={unknown} />
  const names = new Intl.ListFormat(i18n.locale, { type: 'conjunction' }).format(
    notice.map((member) => isolateBidi(member.profile.name)),
  )
  const add = async () => {
    setBusy(true)
    const outcome = await addMembers(
      channel.id,
      notice.map((member) => member.profile.id),
    )
    setBusy(false)
    if (!outcome.ok) showToast({ text: outcome.failure.message })
  }
  const canReadAnyway = channel.kind === 'public' && notice.every((member) => member.role !== 'guest')
  const count = notice.length
  return (
    <div className={styles.notice} role="status">
      <p>
        {canReadAnyway
          ? i18n._(
              '{count, plural, one {{names} isn’t in this channel, so they won’t be notified.} other {{names} aren’t in this channel, so they won’t be notified.}}',
              { count, names },
            )
          : i18n._(
              '{count, plural, one {{names} isn’t in this conversation and won’t see it.} other {{names} aren’t in this conversation and won’t see it.}}',
              { count, names },
            )}
      </p>
      {channelPermissions(entry, role).addPeople ? (
        <Button variant="quiet" busy={busy} onClick={() => void add()}>
          {i18n._('Add to channel')}
        </Button>
      ) : null}
    </div>
  )
}

function UnknownNames({ names }: { names: readonly string[] }) {
  const list = new Intl.ListFormat(i18n.locale, { type: 'disjunction' }).format(names.map(isolateBidi))
  return (
    <div className={styles.notice} role="status">
      <p>
        {i18n._('Nobody here is called {names}. Check the spelling if you want to mention someone.', {
          names: list,
        })}
      </p>
    </div>
  )
}
