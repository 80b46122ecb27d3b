import { i18n } from '@lingui/core'
import CheckCheck from 'lucide-react/icons/check-check'
import { useCallback, useRef, useState } from 'react'
import { markGroupsRead, useUnreadGroups, type UnreadGroup } from '../../data/activity/unreadGroups.ts'
import { useConnection } from '../../data/session/useWorkspace.ts'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { focusItem } from '../../ui/moveInList.ts'
import { useToast } from '../../ui/toast.ts'
import { TOUCH, useMedia } from '../../ui/useMedia.ts'
import { useGrowth } from '../../ui/useGrowth.ts'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Feed } from '../../features/parts/lists/ListEnd.tsx'
import { ListPage } from '../../shell/ListPage.tsx'
import styles from '../../shell/ListPage.module.css'
import { UnreadGroupCard } from './UnreadGroupCard.tsx'

/**
 * The number of groups that are displayed first and added by each press of the button. Each group subscribes to its
 * channel.
 */
const PAGE = 20

/** The page with all unread messages, grouped by conversation and thread. */
export default function CatchUpPage() {
  const groups = useUnreadGroups()
  const { count, grow } = useGrowth('catch up', PAGE)
  const showToast = useToast()
  const isTouch = useMedia(TOUCH)
  const feed = useRef<HTMLDivElement>(null)
  const isOffline = useConnection() === 'offline'
  const [loaded, setLoaded] = useState<ReadonlySet<string>>(new Set())
  const onLoad = useCallback((key: string) => setLoaded((before) => new Set(before).add(key)), [])
  const listed = groups.slice(0, count)
  // Groups appear from the top to the bottom, so that a displayed group does not move while another one loads.
  const firstLoadingIndex = isOffline ? -1 : listed.findIndex(({ key }) => !loaded.has(key))

  function markRead(read: readonly UnreadGroup[]) {
    // The next group takes the place of the one that leaves.
    const cards = [...(feed.current?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])]
    const at = cards.findIndex((card) => card.contains(document.activeElement))
    if (read.length === 1 && at >= 0) focusItem(cards[at + 1] ?? cards[at - 1])
    const undo = markGroupsRead(read)
    showToast({ text: i18n._('Marked as read.'), action: { label: i18n._('Undo'), run: undo } })
  }

  return (
    <ListPage
      title={i18n._('Catch up')}
      back={null}
      isReady={groups.length > 0}
      actions={
        groups.length > 0 ? (
          <IconButton
            label={i18n._('Mark all as read')}
            icon={<Icon of={CheckCheck} size={20} />}
            onClick={() => markRead(groups)}
          />
        ) : null
      }
    >
      <div ref={feed}>
        <Feed
          label={i18n._('Unread messages')}
          list={{
            value: groups,
            failure: null,
            isFetching: false,
            more: groups.length > count ? grow : null,
            retry: grow,
          }}
          loading=""
          offline=""
          empty={
            <EmptyState
              title={i18n._('You’re all caught up')}
              text={i18n._('New messages show up here, grouped by conversation and thread.')}
            />
          }
        >
          {listed.map((group, index) => (
            <UnreadGroupCard
              key={group.key}
              group={group}
              canAppear={firstLoadingIndex === -1 || index <= firstLoadingIndex}
              onLoad={onLoad}
              onRead={() => markRead([group])}
            />
          ))}
        </Feed>
      </div>
      {firstLoadingIndex === -1 ? (
        <>
          {groups.length > 0 && !isTouch ? (
            <p className={styles.note}>
              {i18n._('J and K move between conversations, Enter opens one, M marks it as read.')}
            </p>
          ) : null}
          <p className={styles.note}>
            {i18n._('Muted conversations are listed only when they mention you.')}
          </p>
        </>
      ) : null}
    </ListPage>
  )
}
