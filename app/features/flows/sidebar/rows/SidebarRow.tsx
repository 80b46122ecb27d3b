import { i18n } from '@lingui/core'
import Archive from 'lucide-react/icons/archive'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import NotebookPen from 'lucide-react/icons/notebook-pen'
import Users from 'lucide-react/icons/users'
import { memo } from 'react'
import { pathTo } from '../../../../paths.ts'
import type { SidebarItem } from '../../../../data/channels/channels.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import { AvatarWithPresence } from '../../../parts/members/avatar/AvatarWithPresence.tsx'
import { presenceLabel } from '../../../parts/members/presenceLabel.ts'
import { statusText } from '../../../parts/members/StatusEmoji.tsx'
import { SidebarLink } from './SidebarLink.tsx'
import styles from './SidebarRow.module.css'
import { unreadBadge } from './unreadBadge.ts'

/** One conversation in the sidebar. Its events are handled by the list, once for all rows. */
export const SidebarRow = memo(function SidebarRow({
  item,
  isCurrent,
  hasDraft,
}: {
  item: SidebarItem
  isCurrent: boolean
  hasDraft: boolean
}) {
  return (
    <li className={styles.line} data-row={item.id}>
      <SidebarLink
        href={pathTo('channel', { channelId: item.id })}
        isCurrent={isCurrent}
        icon={<RowIcon item={item} />}
        name={item.name}
        kind={kindLabel(item)}
        presence={item.presence && presenceLabel(item.presence)}
        status={item.status && statusText(item.status)}
        muted={item.muted}
        hasDraft={hasDraft && !isCurrent}
        unread={unreadBadge(item)}
      />
      <button
        type="button"
        data-more
        aria-haspopup="menu"
        aria-label={i18n._('Options for {name}', { name: item.name })}
        className={styles.more}
      />
    </li>
  )
})

/** Names what the icon of a channel shows; null where the name alone is enough. */
function kindLabel({ archived, kind }: SidebarItem): string | null {
  if (archived) return i18n._('archived')
  return kind === 'private' ? i18n._('private') : null
}

function RowIcon({ item }: { item: SidebarItem }) {
  if (item.archived) return <Icon of={Archive} />
  if (item.kind === 'public') return <Icon of={Hash} />
  if (item.kind === 'private') return <Icon of={Lock} />
  if (item.selfDirect) return <Icon of={NotebookPen} />
  const [person] = item.people
  if (item.kind === 'group' || !person) return <Icon of={Users} />
  const { id, name } = person
  return <AvatarWithPresence id={id} name={name} presence={item.presence ?? 'offline'} label="" />
}
