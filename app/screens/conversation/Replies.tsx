import { i18n } from '@lingui/core'
import { Suspense, useMemo, useRef, useState } from 'react'
import { usePageQuery } from '../../ui/pageAddress.ts'
import type { ChannelWithPermissions } from '../../data/channels/channels.ts'
import { markThreadSeen, useDeletions } from '../../data/messages/messages.ts'
import { writtenAt } from '../../data/messages/writtenAt.ts'
import { useThreadState } from '../../data/threads/threadState.ts'
import { useThread } from '../../data/threads/threads.ts'
import { Composer, type ComposerHandle } from '../../features/conversation/composer/Composer.tsx'
import { ConversationStatus } from '../../features/conversation/composer/ConversationStatus.tsx'
import { MessageRow } from '../../features/conversation/message/MessageRow.tsx'
import { useEditingId } from '../../features/conversation/message/edit/useEditingId.ts'
import { useMe } from '../../features/parts/members/MeContext.ts'
import { rowTarget } from '../../features/conversation/timeline/list/scrollMachine.ts'
import { MessageList } from '../../features/conversation/timeline/MessageList.tsx'
import { timelineRows } from '../../features/conversation/message/timelineRows.ts'
import { useAnnounceNewMessages } from '../../features/conversation/timeline/useAnnounceNewMessages.ts'
import { lazyComponent } from '../../ui/lazyComponent.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { LoadError } from '../../shell/LoadError.tsx'
import { lastOwnRow } from './lastOwnRow.ts'
import paneStyles from '../../shell/Pane.module.css'
import styles from './Conversation.module.css'

const PostingNotice = lazyComponent(() => import('./PostingNotice.tsx'), { preload: true })

interface Props {
  channel: ChannelWithPermissions
  rootId: string
  title: string
}

/** The first message of a thread, its replies and the composer. */
export function Replies({ channel, rootId, title }: Props) {
  const { profile } = useMe()
  const requestedNumber = Number(usePageQuery().get('at')) || null
  const thread = useThread(channel.id, rootId, requestedNumber)
  const state = useThreadState(rootId)
  const readTo = state?.last_read_thread_seq ?? 0
  const hidden = useDeletions()
  const [editing, setEditing] = useEditingId(rootId)
  const composer = useRef<ComposerHandle>(null)
  const [openedAt] = useState(() => Date.now())
  const { root, from } = thread
  const rows = timelineRows(thread.items, {
    me: profile.id,
    scope: 'thread',
    firstUnread: thread.firstUnread,
    hidden,
    after: root ? writtenAt(root) : undefined,
  })
  const target = useMemo(() => rowTarget(requestedNumber), [requestedNumber])
  useAnnounceNewMessages(rows, profile.id, thread.hasAfter)
  // All members can reply to announcements: only posting to the channel itself is restricted.
  const mayReply = channel.isMember && !channel.archived

  const opening = root ? (
    <>
      <div className={styles.spacer} />
      <MessageRow
        message={root}
        isFirstOfRun
        scope="thread"
        mayPost={mayReply}
        editing={editing === root.id}
        tabStop={rows.length === 0}
        onEdit={setEditing}
        onFocus={() => {}}
      />
      {root.reply_count > 0 ? (
        <p className={styles.count}>
          {i18n._('{count, plural, one {# reply} other {# replies}}', { count: root.reply_count })}
        </p>
      ) : null}
    </>
  ) : null

  return (
    <>
      {thread.status === 'ready' ? (
        <MessageList
          label={i18n._('Replies')}
          scope="thread"
          listKey={rootId}
          me={profile.id}
          target={target}
          openedAt={openedAt}
          rows={rows}
          hasBefore={thread.hasBefore}
          hasAfter={thread.hasAfter}
          mayPost={mayReply}
          editing={editing}
          readState={{
            readTo,
            unread: state?.counts.unread ?? 0,
            complete: from <= readTo + 1 || !thread.hasBefore,
            onSeen: (number) => markThreadSeen(channel.id, rootId, number),
            onAllRead: () => markThreadSeen(channel.id, rootId, root?.last_thread_seq ?? 0),
            onFirstUnread: () => thread.jumpTo(readTo + 1),
          }}
          intro={opening}
          onEdit={setEditing}
          onRestore={mayReply && !root?.deleted_at ? (message) => composer.current?.prepend(message) : null}
          onMoved={thread.onMoved}
          onNearStart={thread.loadBefore}
          onNearEnd={thread.loadAfter}
          onEnd={() => thread.jumpTo('end')}
          onStart={() => thread.jumpTo(1)}
        />
      ) : null}
      {thread.status === 'loading' ? (
        <div className={paneStyles.loading}>
          <Skeleton label={i18n._('Loading the thread')} rows={4} />
        </div>
      ) : null}
      {thread.status === 'failed' ? (
        <LoadError
          text={thread.failure?.message ?? i18n._('This conversation couldn’t be loaded.')}
          onRetry={() => thread.jumpTo(requestedNumber ?? 'end')}
        />
      ) : null}
      <ConversationStatus
        channelId={channel.id}
        threadRoot={rootId}
        isOnWeb={Boolean(channel.entry.channel.web_since)}
      />
      {!mayReply || root?.deleted_at ? (
        <Suspense>
          <PostingNotice channel={channel} root={root} />
        </Suspense>
      ) : (
        <Composer
          ref={composer}
          channelId={channel.id}
          threadRoot={rootId}
          label={i18n._('Reply')}
          alsoTo={channel.canPost ? title : null}
          onEditLast={() => setEditing(lastOwnRow(rows, profile.id))}
        />
      )}
    </>
  )
}
