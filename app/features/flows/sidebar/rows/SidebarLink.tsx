import { Badge } from '../../../../ui/Badge.tsx'
import { i18n } from '@lingui/core'
import BellOff from 'lucide-react/icons/bell-off'
import SquarePen from 'lucide-react/icons/square-pen'
import type { ReactNode } from 'react'
import { cx } from '../../../../ui/cx.ts'
import { Icon } from '../../../../ui/Icon.tsx'
import styles from './SidebarRow.module.css'
import type { UnreadBadge } from './unreadBadge.ts'

interface Props {
  href: string
  /** Whether it is the current page. */
  isCurrent: boolean
  icon: ReactNode
  name: string
  /** What the icon shows of a channel, for screen readers: a public and a private one may share a name. */
  kind?: string | null
  /** Presence of the person: shown by the icon, and part of the accessible name. */
  presence?: string | null
  /** Shown beside the name. */
  status?: string | null
  muted?: boolean
  hasDraft?: boolean
  unread: UnreadBadge
}

/**
 * A link of the sidebar: bold when unread, with a red badge only for mentions and direct messages. Clicks are handled
 * by the list: each link of the router would subscribe to the location, and 500 would render at every navigation.
 */
export function SidebarLink({
  href,
  isCurrent,
  icon,
  name,
  kind,
  presence,
  status,
  muted = false,
  hasDraft = false,
  unread,
}: Props) {
  const { bold, count, badge, label } = unread
  return (
    <a
      href={href}
      draggable={false}
      aria-current={isCurrent ? 'page' : undefined}
      aria-label={[name, kind, presence, status, hasDraft && i18n._('draft'), label]
        .filter(Boolean)
        .join(', ')}
      className={cx(styles.row, bold && styles.bold, muted && styles.muted)}
    >
      <span className={styles.icon}>{icon}</span>
      <bdi className={styles.name}>{name}</bdi>
      {status ? <bdi className={styles.status}>{status}</bdi> : null}
      <span className={styles.spacer} />
      {hasDraft ? <Icon of={SquarePen} /> : null}
      {badge ? <Badge isUrgent>{badge}</Badge> : null}
      {count && !badge ? <span className={styles.count}>{count}</span> : null}
      {muted && !badge ? <Icon of={BellOff} /> : null}
    </a>
  )
}
