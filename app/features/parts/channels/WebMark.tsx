import { i18n } from '@lingui/core'
import Globe from 'lucide-react/icons/globe'
import type { Uuid } from '../../../../wire/scalars.ts'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './WebMark.module.css'
import { webPath } from '../../../paths.ts'

/** Marks a channel that anyone can read, in its header: a link to the page that they see. */
export default function WebMark({ channelId }: { channelId: Uuid }) {
  return (
    <a
      className={styles.mark}
      href={webPath(channelId)}
      target="_blank"
      rel="noopener noreferrer"
      data-tooltip={i18n._('Anyone can read this channel on the web. See the page.')}
    >
      <Icon of={Globe} />
      <span className={styles.label}>{i18n._('On the web')}</span>
    </a>
  )
}
