import { i18n } from '@lingui/core'
import Files from 'lucide-react/icons/files'
import { useRoute } from 'wouter'
import { Icon } from '../../../ui/Icon.tsx'
import { SidebarLink } from './SidebarLink.tsx'
import styles from './SidebarRow.module.css'
import { unreadBadge } from './unreadBadge.ts'

/** Files from all conversations that the reader can read. */
export function FilesRow() {
  const [isCurrent] = useRoute('/files')
  return (
    <div className={styles.line}>
      <SidebarLink
        href="/files"
        isCurrent={isCurrent}
        icon={<Icon of={Files} />}
        name={i18n._('Files')}
        unread={unreadBadge({ kind: 'public', unread: 0, mentions: 0, muted: false })}
      />
    </div>
  )
}
