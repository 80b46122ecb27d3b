import { i18n } from '@lingui/core'
import CloudOff from 'lucide-react/icons/cloud-off'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Banner.module.css'

/** Shown above pages without a conversation while they are not connected: what they show may be out of date. */
export default function OfflineBanner({ offline }: { offline: boolean }) {
  return (
    <p className={styles.banner} role="status">
      <Icon of={CloudOff} />
      <span>
        {offline
          ? i18n._('You’re offline. What you see is saved on this device.')
          : i18n._('Linnet can’t be reached. What you see is saved on this device.')}
      </span>
    </p>
  )
}
