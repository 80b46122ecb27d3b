import { i18n } from '@lingui/core'
import Globe from 'lucide-react/icons/globe'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './WebMark.module.css'

/** Above the composer, for everyone who writes in a channel on the web. */
export default function WebNotice() {
  return (
    <p className={styles.notice}>
      <Icon of={Globe} />
      <span>{i18n._('On the web: anyone can read what you write here, with your name.')}</span>
    </p>
  )
}
