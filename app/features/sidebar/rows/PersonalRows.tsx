import { i18n } from '@lingui/core'
import Bookmark from 'lucide-react/icons/bookmark'
import SquarePen from 'lucide-react/icons/square-pen'
import { useRoute } from 'wouter'
import { useSavedMessages } from '../../../data/messages/savedMessages.ts'
import { useDrafts } from '../../../data/messages/useDrafts.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { SidebarLink } from './SidebarLink.tsx'
import styles from './SidebarRow.module.css'

/** The user's drafts and saved messages, with their number; nothing where there are none. */
export default function PersonalRows() {
  const drafts = useDrafts().size
  const saved = [...useSavedMessages().values()].filter((item) => item.state === 'saved').length
  const draftsLabel = i18n._('{drafts, plural, one {# draft} other {# drafts}}', { drafts })
  const savedLabel = i18n._('{saved, plural, one {# saved message} other {# saved messages}}', { saved })
  return (
    <>
      {drafts > 0 ? (
        <Row path="/drafts" icon={SquarePen} name={i18n._('Drafts')} count={drafts} label={draftsLabel} />
      ) : null}
      {saved > 0 ? (
        <Row path="/saved" icon={Bookmark} name={i18n._('Saved')} count={saved} label={savedLabel} />
      ) : null}
    </>
  )
}

interface RowProps {
  path: string
  icon: typeof Bookmark
  name: string
  count: number
  label: string
}

function Row({ path, icon, name, count, label }: RowProps) {
  const [isCurrent] = useRoute(path)
  return (
    <div className={styles.line}>
      <SidebarLink
        href={path}
        isCurrent={isCurrent}
        icon={<Icon of={icon} />}
        name={name}
        unread={{ bold: false, count: String(count), badge: null, label }}
      />
    </div>
  )
}
