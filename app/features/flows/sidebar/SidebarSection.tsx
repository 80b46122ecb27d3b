import { i18n } from '@lingui/core'
import ChevronRight from 'lucide-react/icons/chevron-right'
import { Suspense, type ReactNode } from 'react'
import type { SidebarGroup as Group } from '../../../data/sidebar/sections.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { cx } from '../../../ui/cx.ts'
import { groupName } from './groupName.ts'
import styles from './SidebarSection.module.css'
import { SidebarRow } from './rows/SidebarRow.tsx'
import { needsAttention } from './rows/unreadBadge.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

const EmptyGroup = lazyComponent(() => import('./EmptyGroup.tsx'), { preload: true })

interface Props {
  group: Group
  isCollapsed: boolean
  /** The open conversation. */
  openId: string | null
  /** By channel. */
  drafts: ReadonlyMap<string, unknown>
  onCollapse: (isCollapsed: boolean) => void
  /** At the end of the header. */
  action?: ReactNode
}

/** A group of the sidebar with its header. Collapsed, it shows only unread conversations and the open one. */
export function SidebarSection({ group, isCollapsed, openId, drafts, onCollapse, action }: Props) {
  const name = groupName(group)
  const rows = isCollapsed
    ? group.items.filter((item) => item.id === openId || needsAttention(item))
    : group.items
  return (
    <section aria-label={name} data-group={group.key}>
      <div className={styles.header} data-header>
        <h2 className={styles.title}>
          <button
            type="button"
            className={styles.toggle}
            aria-expanded={!isCollapsed}
            data-toggle={group.key}
            onClick={() => onCollapse(!isCollapsed)}
          >
            <bdi className={styles.name}>{name}</bdi>
            <Icon of={ChevronRight} className={cx(styles.chevron, !isCollapsed && styles.open)} />
          </button>
        </h2>
        {action}
      </div>
      <ul className={styles.rows}>
        {rows.map((item) => (
          <SidebarRow
            key={item.id}
            item={item}
            isCurrent={item.id === openId}
            hasDraft={drafts.has(item.id)}
          />
        ))}
        {group.items.length === 0 && !isCollapsed ? (
          <li className={styles.none}>
            <Suspense fallback={'\u00A0'}>
              <EmptyGroup kind={group.kind} />
            </Suspense>
          </li>
        ) : null}
      </ul>
      {isCollapsed && rows.length < group.items.length ? (
        <p className="visually-hidden">
          {i18n._('{count, plural, one {# more} other {# more}}', {
            count: group.items.length - rows.length,
          })}
        </p>
      ) : null}
    </section>
  )
}
