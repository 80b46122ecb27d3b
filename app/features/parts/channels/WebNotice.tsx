import { i18n } from '@lingui/core'
import Globe from 'lucide-react/icons/globe'
import type { Uuid } from '../../../../wire/scalars.ts'
import { useChannel } from '../../../data/channels/channels.ts'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './WebMark.module.css'

/** Above the composer, for everyone who writes in a channel on the web. */
export default function WebNotice({ channelId }: { channelId: Uuid }) {
  const channel = useChannel(channelId)
  const showsFiles = typeof channel === 'object' && channel.entry.channel.web_files
  return (
    <p className={styles.notice}>
      <Icon of={Globe} />
      <span>
        {showsFiles
          ? i18n._('On the web: anyone can read what you write here and open your files, with your name.')
          : i18n._('On the web: anyone can read what you write here, with your name.')}
      </span>
    </p>
  )
}
