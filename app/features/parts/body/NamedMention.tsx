import ChannelLink from './ChannelLink.tsx'
import { UserGroupMention } from './UserGroupMention.tsx'

/** A link to a channel ("#" and its id), or a mention of a group ("&" and its id). */
export default function NamedMention({ who }: { who: string }) {
  return who.startsWith('#') ? <ChannelLink id={who.slice(1)} /> : <UserGroupMention id={who} />
}
