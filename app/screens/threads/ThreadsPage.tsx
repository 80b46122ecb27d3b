import { i18n } from '@lingui/core'
import CheckCheck from 'lucide-react/icons/check-check'
import { useState } from 'react'
import { markAllThreadsRead } from '../../data/activity/unreadGroups.ts'
import { useConnection } from '../../data/session/useWorkspace.ts'
import { useThreadInbox } from '../../data/threads/threadInbox.ts'
import { useThreadTotals } from '../../data/threads/threadTotals.ts'
import { ThreadCard } from '../../features/conversation/thread/ThreadCard.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Button } from '../../ui/Button.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useToast } from '../../ui/toast.ts'
import { moveInFeed } from '../../ui/moveInFeed.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { TOUCH, useMedia } from '../../ui/useMedia.ts'
import { useNearEnd } from '../../ui/useNearEnd.ts'
import { LoadError } from '../../shell/LoadError.tsx'
import { PaneHeader } from '../../shell/PaneHeader.tsx'
import paneStyles from '../../shell/Pane.module.css'
import styles from '../../shell/ListPage.module.css'

type Filter = 'unread' | 'all'

/** The page with the inbox of followed threads. */
export default function ThreadsPage() {
  const [filter, setFilter] = useState<Filter>('all')
  const inbox = useThreadInbox(filter === 'unread')
  const { value: entries, isPrevious, failure, isFetching, more } = inbox
  const totals = useThreadTotals()
  const showToast = useToast()
  const end = useNearEnd(() => more?.())

  function readAll() {
    const undo = markAllThreadsRead()
    showToast({ text: i18n._('Marked as read.'), action: { label: i18n._('Undo'), run: undo } })
  }

  return (
    <section
      className={paneStyles.pane}
      aria-label={i18n._('Threads')}
      onKeyDown={(event) => moveInFeed(event, '[data-thread]')}
    >
      <PaneHeader title={i18n._('Threads')}>
        {totals.unread > 0 ? (
          <IconButton
            label={i18n._('Mark all as read')}
            icon={<Icon of={CheckCheck} size={20} />}
            onClick={readAll}
          />
        ) : null}
      </PaneHeader>
      <div className={styles.scroller}>
        <div className={styles.filter}>
          <RadioGroup
            label={i18n._('Show')}
            hideLabel
            value={filter}
            options={[
              { value: 'all', label: i18n._('All') },
              { value: 'unread', label: i18n._('Unread') },
            ]}
            onChange={setFilter}
          />
        </div>
        <div
          role="feed"
          aria-label={i18n._('Threads')}
          aria-busy={isFetching}
          className={styles.list}
          tabIndex={-1}
        >
          {entries?.map(({ channelId, rootId }) => (
            <ThreadCard key={rootId} channelId={channelId} rootId={rootId} />
          ))}
        </div>
        {entries || failure ? null : <LoadingThreads />}
        {entries?.length === 0 && !isPrevious ? (
          <Empty filter={filter} onAll={() => setFilter('all')} />
        ) : null}
        {failure ? <LoadError text={failure.message} busy={isFetching} onRetry={inbox.retry} /> : null}
        {more && !failure ? (
          <div ref={end} className={styles.more}>
            <Button variant="quiet" busy={isFetching} onClick={more}>
              {i18n._('Load older threads')}
            </Button>
          </div>
        ) : null}
      </div>
    </section>
  )
}

/** Displays a skeleton, or an explanation without a network. */
function LoadingThreads() {
  const offline = useConnection() === 'offline'
  if (!offline) return <Skeleton label={i18n._('Loading your threads')} rows={6} />
  return (
    <p className={paneStyles.error} role="status">
      {i18n._('You’re offline. Your threads will appear when you reconnect.')}
    </p>
  )
}

function Empty({ filter, onAll }: { filter: Filter; onAll: () => void }) {
  const isTouch = useMedia(TOUCH)
  if (filter === 'unread')
    return (
      <EmptyState
        title={i18n._('You’re all caught up')}
        text={i18n._('You’ve read every reply in the threads you follow.')}
      >
        <Button onClick={onAll}>{i18n._('Show all threads')}</Button>
      </EmptyState>
    )
  return (
    <EmptyState
      title={i18n._('No threads yet')}
      text={
        isTouch
          ? i18n._(
              'Threads you started, replied to or were mentioned in show up here. Choose “Reply in thread” or “Follow thread” from the menu of a message.',
            )
          : i18n._(
              'Threads you started, replied to or were mentioned in show up here. Press R on a message to reply, or choose “Follow thread” from its menu.',
            )
      }
    />
  )
}
