import { i18n } from '@lingui/core'
import Archive from 'lucide-react/icons/archive'
import BellOff from 'lucide-react/icons/bell-off'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import NotebookPen from 'lucide-react/icons/notebook-pen'
import Users from 'lucide-react/icons/users'
import { memo } from 'react'
import { Link } from 'wouter'
import type { SidebarItem } from '../../data/channels.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import { presenceWord } from '../people/presenceWord.ts'
import { statusLine } from '../people/StatusMark.tsx'
import styles from './SideRow.module.css'
import { unreadOf } from './unreadOf.ts'

/**
 * One conversation in the side: bold when unread, with a red number only when it calls for the reader. What is
 * done with it is heard for all rows at once, by the list around them.
 */
export const SideRow = memo(function SideRow({ item, here }: { item: SidebarItem; here: boolean }) {
  const { bold, count, badge, words } = unreadOf(item)
  const status = item.status && statusLine(item.status)
  return (
    <li className={styles.line} data-row={item.id}>
      <Link
        href={`/c/${item.id}`}
        draggable={false}
        aria-current={here ? 'page' : undefined}
        aria-label={words ? `${item.name}, ${words}` : item.name}
        className={cx(styles.row, bold && styles.bold, item.muted && styles.muted)}
      >
        <span className={styles.sign}>
          <Sign item={item} />
        </span>
        <bdi className={styles.name}>{item.name}</bdi>
        {status ? <bdi className={styles.status}>{status}</bdi> : null}
        <span className={styles.space} />
        {badge ? <span className={styles.badge}>{badge}</span> : null}
        {count && !badge ? <span className={styles.count}>{count}</span> : null}
        {item.muted && !badge ? <Icon of={BellOff} /> : null}
      </Link>
      <button
        type="button"
        data-more
        aria-haspopup="menu"
        aria-label={i18n._('More about {name}', { name: item.name })}
        className={styles.more}
      />
    </li>
  )
})

function Sign({ item }: { item: SidebarItem }) {
  if (item.archived) return <Icon of={Archive} />
  if (item.kind === 'public') return <Icon of={Hash} />
  if (item.kind === 'private') return <Icon of={Lock} />
  if (item.notebook) return <Icon of={NotebookPen} />
  if (item.kind === 'group') return <Icon of={Users} />
  const presence = item.presence ?? 'offline'
  return <PresenceDot state={presence} label={presenceWord(presence)} />
}
