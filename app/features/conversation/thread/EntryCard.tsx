import { i18n } from '@lingui/core'
import Hash from 'lucide-react/icons/hash'
import Lock from 'lucide-react/icons/lock'
import { useId, type KeyboardEvent, type ReactNode, type Ref } from 'react'
import type { ChannelWithPermissions } from '../../../data/channels/channels.ts'
import { navigate } from '../../../historyState.ts'
import { cx } from '../../../ui/cx.ts'
import { Icon } from '../../../ui/Icon.tsx'
import { Link } from '../../../ui/Link.tsx'
import { shortcutKey } from '../../../ui/shortcutKey.ts'
import styles from './ThreadCard.module.css'

interface Props {
  ref?: Ref<HTMLElement>
  channel: ChannelWithPermissions
  /** The address of the conversation or thread; Enter opens it. */
  href: string
  unread: number
  mentions: number
  /** Whether what is new is addressed to the reader. */
  isUrgent: boolean
  /** Actions by their keys, which also work on the messages of the card. */
  keys: Readonly<Record<string, (() => void) | undefined>>
  /** Icon buttons at the end of the header. */
  actions: ReactNode
  children: ReactNode
}

/** An entry of an inbox: a conversation or thread with its name, what is new in it, and its messages. */
export function EntryCard({
  ref,
  channel,
  href,
  unread,
  mentions,
  isUrgent,
  keys,
  actions,
  children,
}: Props) {
  const titleId = useId()
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return
    const target = event.target as Element
    const isCard = target === event.currentTarget
    if (!isCard && target.tagName !== 'ARTICLE') return
    const key = shortcutKey(event)
    const action = key === 'enter' ? (isCard ? () => navigate(href) : undefined) : keys[key]
    if (!action) return
    event.preventDefault()
    action()
  }
  const count = unread >= 100 ? '99+' : String(unread)
  return (
    <article
      ref={ref}
      data-entry
      tabIndex={0}
      aria-labelledby={titleId}
      className={styles.card}
      onKeyDown={onKeyDown}
    >
      <header className={styles.header}>
        <h2 id={titleId} className={cx(styles.title, unread > 0 && styles.unread)}>
          {channel.kind === 'public' ? <Icon of={Hash} /> : null}
          {channel.kind === 'private' ? <Icon of={Lock} label={i18n._('private')} /> : null}
          <Link href={href} className={styles.channel}>
            <bdi>{channel.name}</bdi>
          </Link>
          {unread > 0 ? (
            <span className={cx(styles.new, isUrgent && styles.mention)}>
              {mentions > 0
                ? i18n._('{count} new, including a mention', { count })
                : i18n._('{count} new', { count })}
            </span>
          ) : null}
        </h2>
        <div className={styles.actions}>{actions}</div>
      </header>
      {children}
    </article>
  )
}
