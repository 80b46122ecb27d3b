import { i18n } from '@lingui/core'
import CloudOff from 'lucide-react/icons/cloud-off'
import { Icon } from '../../ui/Icon.tsx'
import styles from './Banner.module.css'

/** Shown while the page has only data that an earlier visit stored on this device. */
export default function OfflineBanner({ offline }: { offline: boolean }) {
  return (
    <p className={styles.banner} role="status">
      <Icon of={CloudOff} />
      <span>
        {offline
          ? i18n._('You’re offline. Showing messages saved on this device.')
          : i18n._('Linnet can’t be reached. Showing messages saved on this device.')}
      </span>
    </p>
  )
}
