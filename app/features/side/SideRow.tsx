import { i18n } from '@lingui/core'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import NotebookPen from 'lucide-react/icons/notebook-pen'
import Users from 'lucide-react/icons/users'
import { Link, useRoute } from 'wouter'
import type { SidebarItem } from '../../data/channels.ts'
import { cx } from '../../ui/cx.ts'
import { Icon } from '../../ui/Icon.tsx'
import { PresenceDot } from '../../ui/PresenceDot.tsx'
import { presenceWord } from '../people/presenceWord.ts'
import styles from './SideRow.module.css'
import { unreadOf } from './unreadOf.ts'

/** One conversation in the side: bold when unread, with a red number only when it calls for the reader. */
export function SideRow({ item }: { item: SidebarItem }) {
  const [here] = useRoute(`/c/${item.id}/*?`)
  const { bold, count, badge, words } = unreadOf(item)
  const status = item.people.length === 1 ? item.people[0]?.status_text : null
  return (
    <li>
      <Link
        href={`/c/${item.id}`}
        aria-current={here ? 'page' : undefined}
        aria-label={words ? `${item.name}, ${words}` : item.name}
        className={cx(styles.row, bold && styles.bold)}
      >
        <span className={styles.sign}>
          <Sign item={item} />
        </span>
        <bdi className={styles.name}>
          {item.notebook ? i18n._('{name} (you)', { name: item.name }) : item.name}
        </bdi>
        {status ? <bdi className={styles.status}>{status}</bdi> : null}
        <span className={styles.space} />
        {badge ? <span className={styles.badge}>{badge}</span> : null}
        {count && !badge ? <span className={styles.count}>{count}</span> : null}
      </Link>
    </li>
  )
}

function Sign({ item }: { item: SidebarItem }) {
  if (item.kind === 'public') return <Icon of={Hash} />
  if (item.kind === 'private') return <Icon of={Lock} />
  if (item.notebook) return <Icon of={NotebookPen} />
  if (item.kind === 'group') return <Icon of={Users} />
  const presence = item.presence ?? 'offline'
  return <PresenceDot state={presence} label={presenceWord(presence)} />
}
