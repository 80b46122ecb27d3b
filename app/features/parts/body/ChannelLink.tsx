import { Link } from '../../../ui/Link.tsx'
import { pathTo } from '../../../paths.ts'
import { useNamedChannel } from '../../../data/channels/channelNames.ts'
import { unreadableText } from '../channels/placeText.ts'
import styles from './Mention.module.css'

/** A link to a channel in a message. Readers who may not read the channel do not see its name. */
export default function ChannelLink({ id }: { id: string }) {
  const channel = useNamedChannel(id)
  if (channel === undefined) return '#…'
  const name = channel?.name ?? null
  if (name === null) return <span className={styles.unreadable}>{unreadableText('channel')}</span>
  return (
    <Link href={pathTo('channel', { channelId: id })} className={styles.group}>
      <bdi>#{name}</bdi>
    </Link>
  )
}
