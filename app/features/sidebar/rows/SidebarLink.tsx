import BellOff from 'lucide-react/icons/bell-off'
import type { ReactNode } from 'react'
import { cx } from '../../../ui/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import styles from './SidebarRow.module.css'
import type { UnreadBadge } from './unreadBadge.ts'

interface Props {
  href: string
  /** Whether it is what stands in front. */
  isCurrent: boolean
  icon: ReactNode
  name: string
  /** How its person is: the sign shows it, those who listen are told. */
  presence?: string | null
  /** Beside the name, softer. */
  status?: string | null
  muted?: boolean
  unread: UnreadBadge
}

/**
 * One way in the side: bold when unread, with a red number only when it calls for the reader. The list around it takes
 * its press: the router's own links each listen to the address, and five hundred would be drawn anew at each step.
 */
export function SidebarLink({ href, isCurrent, icon, name, presence, status, muted = false, unread }: Props) {
  const { bold, count, badge, label } = unread
  return (
    <a
      href={href}
      draggable={false}
      aria-current={isCurrent ? 'page' : undefined}
      aria-label={[name, presence, status, label].filter(Boolean).join(', ')}
      className={cx(styles.row, bold && styles.bold, muted && styles.muted)}
    >
      <span className={styles.icon}>{icon}</span>
      <bdi className={styles.name}>{name}</bdi>
      {status ? <bdi className={styles.status}>{status}</bdi> : null}
      <span className={styles.spacer} />
      {/* From left to right everywhere: beside other scripts its sign would change sides. */}
      {badge ? (
        <span className={styles.badge} dir="ltr">
          {badge}
        </span>
      ) : null}
      {count && !badge ? <span className={styles.count}>{count}</span> : null}
      {muted && !badge ? <Icon of={BellOff} /> : null}
    </a>
  )
}
