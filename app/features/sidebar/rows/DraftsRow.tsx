import { i18n } from '@lingui/core'
import SquarePen from 'lucide-react/icons/square-pen'
import { useRoute } from 'wouter'
import { Icon } from '../../../ui/Icon.tsx'
import { SidebarLink } from './SidebarLink.tsx'
import styles from './SidebarRow.module.css'

/** The user's drafts, with their number. */
export default function DraftsRow({ count }: { count: number }) {
  const [isCurrent] = useRoute('/drafts')
  const label = i18n._('{drafts, plural, one {# draft} other {# drafts}}', { drafts: count })
  return (
    <div className={styles.line}>
      <SidebarLink
        href="/drafts"
        isCurrent={isCurrent}
        icon={<Icon of={SquarePen} />}
        name={i18n._('Drafts')}
        unread={{ bold: false, count: String(count), badge: null, label }}
      />
    </div>
  )
}
