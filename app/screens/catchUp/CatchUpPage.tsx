import { i18n } from '@lingui/core'
import CheckCheck from 'lucide-react/icons/check-check'
import { useRef, useState, type KeyboardEvent } from 'react'
import { markGroupsRead, useUnreadGroups, type UnreadGroup } from '../../data/activity/unreadGroups.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Button } from '../../ui/Button.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { focusItem, moveInFeed } from '../../ui/moveInFeed.ts'
import { useToast } from '../../ui/toast.ts'
import { TOUCH, useMedia } from '../../ui/useMedia.ts'
import { PaneHeader } from '../../shell/PaneHeader.tsx'
import paneStyles from '../../shell/Pane.module.css'
import pageStyles from '../../shell/ListPage.module.css'
import styles from './CatchUpPage.module.css'
import { UnreadGroupCard } from './UnreadGroupCard.tsx'

/**
 * The number of groups that are displayed first and added by each press of the button. Each group subscribes to its
 * channel.
 */
const PAGE = 20
const GROUPS = '[data-group],[data-thread]'

/** The page with all unread messages, grouped by conversation and thread. */
export default function CatchUpPage() {
  const groups = useUnreadGroups()
  const [shown, setShown] = useState(PAGE)
  const showToast = useToast()
  const isTouch = useMedia(TOUCH)
  const feed = useRef<HTMLDivElement>(null)

  function markRead(read: readonly UnreadGroup[]) {
    // The next group takes the place of the one that leaves.
    const cards = [...(feed.current?.querySelectorAll<HTMLElement>(GROUPS) ?? [])]
    const at = cards.findIndex((card) => card.contains(document.activeElement))
    if (read.length === 1 && at >= 0) focusItem(cards[at + 1] ?? cards[at - 1])
    const undo = markGroupsRead(read)
    showToast({ text: i18n._('Marked as read.'), action: { label: i18n._('Undo'), run: undo } })
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    moveInFeed(event, GROUPS)
  }

  return (
    <section className={paneStyles.pane} aria-label={i18n._('Catch up')} onKeyDown={onKeyDown}>
      <PaneHeader title={i18n._('Catch up')}>
        {groups.length > 0 ? (
          <IconButton
            label={i18n._('Mark all as read')}
            icon={<Icon of={CheckCheck} size={20} />}
            onClick={() => markRead(groups)}
          />
        ) : null}
      </PaneHeader>
      <div className={pageStyles.scroller}>
        {groups.length > 0 ? (
          isTouch ? null : (
            <p className={styles.note}>
              {i18n._('J and K move between conversations, Enter opens one, M marks it as read.')}
            </p>
          )
        ) : (
          <EmptyState
            title={i18n._('You’re all caught up')}
            text={i18n._('New messages show up here, grouped by conversation and thread.')}
          />
        )}
        <div
          ref={feed}
          role="feed"
          aria-label={i18n._('Unread messages')}
          className={pageStyles.list}
          tabIndex={-1}
        >
          {groups.slice(0, shown).map((group) => (
            <UnreadGroupCard key={group.key} group={group} onRead={() => markRead([group])} />
          ))}
        </div>
        {groups.length > shown ? (
          <div className={pageStyles.more}>
            <Button variant="quiet" onClick={() => setShown(shown + PAGE)}>
              {i18n._('Show more')}
            </Button>
          </div>
        ) : null}
        <p className={styles.muted}>{i18n._('Muted conversations are listed only when they mention you.')}</p>
      </div>
    </section>
  )
}
