import { i18n } from '@lingui/core'
import Files from 'lucide-react/icons/files'
import { useRoute } from 'wouter'
import { Icon } from '../../../ui/Icon.tsx'
import { SideLine } from './SideLine.tsx'
import styles from './SideRow.module.css'
import { unreadOf } from './unreadOf.ts'

/** What was sent in any conversation that one may read. */
export function FilesRow() {
  const [here] = useRoute('/files')
  return (
    <div className={styles.line}>
      <SideLine
        href="/files"
        here={here}
        sign={<Icon of={Files} />}
        name={i18n._('Files')}
        unread={unreadOf({ kind: 'public', unread: 0, mentions: 0, muted: false })}
      />
    </div>
  )
}
