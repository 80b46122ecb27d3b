import { i18n } from '@lingui/core'
import ChevronRight from 'lucide-react/icons/chevron-right'
import type { ReactNode } from 'react'
import type { SideGroup as Group } from '../../data/sidebar/sections.ts'
import { Icon } from '../../ui/Icon.tsx'
import { cx } from '../../ui/cx.ts'
import { groupName } from './groupName.ts'
import styles from './SideGroup.module.css'
import { SideRow } from './rows/SideRow.tsx'
import { stillShown } from './rows/stillShown.ts'

interface Props {
  group: Group
  folded: boolean
  /** The conversation in front. */
  openId: string | null
  onFold: (folded: boolean) => void
  /** At the end of its heading. */
  action?: ReactNode
  /** What stands here while nothing belongs to it. */
  none: string
}

/** A part of the side with its heading. Folded, it shows what is unread and what is in front. */
export function SideGroup({ group, folded, openId, onFold, action, none }: Props) {
  const name = groupName(group)
  const rows = folded ? group.items.filter((item) => item.id === openId || stillShown(item)) : group.items
  return (
    <section aria-label={name} data-group={group.key}>
      <div className={styles.head} data-head>
        <h2 className={styles.title}>
          <button
            type="button"
            className={styles.fold}
            aria-expanded={!folded}
            data-fold={group.key}
            onClick={() => onFold(!folded)}
          >
            <bdi className={styles.name}>{name}</bdi>
            <Icon of={ChevronRight} className={cx(styles.sign, !folded && styles.open)} />
          </button>
        </h2>
        {action}
      </div>
      <ul className={styles.rows}>
        {rows.map((item) => (
          <SideRow key={item.id} item={item} here={item.id === openId} />
        ))}
        {group.items.length === 0 && !folded ? <li className={styles.none}>{none}</li> : null}
      </ul>
      {folded && rows.length < group.items.length ? (
        <p className="visually-hidden">
          {i18n._('{count, plural, one {# more} other {# more}}', {
            count: group.items.length - rows.length,
          })}
        </p>
      ) : null}
    </section>
  )
}
