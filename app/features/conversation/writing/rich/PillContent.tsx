import { i18n } from '@lingui/core'
import { useNamedChannel } from '../../../../data/channels/channelNames.ts'
import { useProfile } from '../../../../data/people/people.ts'
import { useUserGroups } from '../../../../data/userGroups/useUserGroups.ts'
import { unreadableText } from '../../../parts/channels/placeText.ts'
import { EmojiName } from '../../../parts/emoji/EmojiText.tsx'
import type { Pill } from './pills.ts'

/** The name of a mention, or an emoji. */
export function PillContent({ node }: Pick<Pill, 'node'>) {
  if (node.type.name === 'emoji') return <EmojiName name={node.attrs['name']} />
  const who: string = node.attrs['who']
  if (who === 'channel' || who === 'here') return `@${who}`
  if (who.startsWith('#')) return <ChannelName id={who.slice(1)} />
  return who.startsWith('&') ? <GroupName id={who} /> : <PersonName id={who} />
}

function ChannelName({ id }: { id: string }) {
  const channel = useNamedChannel(id)
  if (channel === undefined) return '#…'
  return <bdi>{channel?.name == null ? unreadableText('channel') : `#${channel.name}`}</bdi>
}

function GroupName({ id }: { id: string }) {
  const group = useUserGroups().find((one) => one.id === id)
  return <bdi>@{group?.name ?? i18n._('a group')}</bdi>
}

function PersonName({ id }: { id: string }) {
  return <bdi>@{useProfile(id)?.name ?? i18n._('someone')}</bdi>
}
