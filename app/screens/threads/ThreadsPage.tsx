import { i18n } from '@lingui/core'
import CheckCheck from 'lucide-react/icons/check-check'
import { markAllThreadsRead } from '../../data/activity/unreadGroups.ts'
import { useThreadInbox } from '../../data/threads/threadInbox.ts'
import { useThreadTotals } from '../../data/threads/threadTotals.ts'
import { ThreadCard } from '../../features/conversation/thread/ThreadCard.tsx'
import { EmptyState } from '../../ui/EmptyState.tsx'
import { Feed } from '../../features/parts/lists/ListEnd.tsx'
import { useFilters } from '../../features/parts/lists/useFilters.ts'
import { Button } from '../../ui/Button.tsx'
import { RadioGroup } from '../../ui/RadioGroup.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { IconButton } from '../../ui/IconButton.tsx'
import { useToast } from '../../ui/toast.ts'
import { TOUCH, useMedia } from '../../ui/useMedia.ts'
import { ListPage } from '../../shell/ListPage.tsx'

/** The page with the inbox of followed threads. */
export default function ThreadsPage() {
  const { values, change } = useFilters({ show: ['all', 'unread'] })
  const filter = values.show
  const inbox = useThreadInbox(filter === 'unread')
  const totals = useThreadTotals()
  const showToast = useToast()

  function readAll() {
    const undo = markAllThreadsRead()
    showToast({ text: i18n._('Marked as read.'), action: { label: i18n._('Undo'), run: undo } })
  }

  return (
    <ListPage
      title={i18n._('Threads')}
      list={`threads ${filter}`}
      isReady={inbox.value !== undefined && !inbox.isPrevious}
      actions={
        totals.unread > 0 ? (
          <IconButton
            label={i18n._('Mark all as read')}
            icon={<Icon of={CheckCheck} size={20} />}
            onClick={readAll}
          />
        ) : null
      }
      top={
        <RadioGroup
          label={i18n._('Show')}
          hideLabel
          value={filter}
          options={[
            { value: 'all', label: i18n._('All') },
            { value: 'unread', label: i18n._('Unread') },
          ]}
          onChange={(show) => change({ show })}
        />
      }
    >
      <Feed
        label={i18n._('Threads')}
        list={inbox}
        loading={i18n._('Loading your threads')}
        offline={i18n._('You’re offline. Your threads will appear when you reconnect.')}
        moreLabel={i18n._('Load older threads')}
        empty={inbox.isPrevious ? null : <Empty filter={filter} onAll={() => change({ show: 'all' })} />}
      >
        {inbox.value?.map(({ channelId, rootId }) => (
          <ThreadCard key={rootId} channelId={channelId} rootId={rootId} />
        ))}
      </Feed>
    </ListPage>
  )
}

function Empty({ filter, onAll }: { filter: 'all' | 'unread'; onAll: () => void }) {
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
