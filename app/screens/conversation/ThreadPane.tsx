import { i18n } from '@lingui/core'
import { useEffect, useLayoutEffect, useRef } from 'react'
import { Link } from '../../ui/Link.tsx'
import { useEntryState } from '../../historyState.ts'
import { pathTo } from '../../paths.ts'
import { openChannel, useChannel } from '../../data/channels/channels.ts'
import { ThreadHeaderActions } from '../../features/conversation/thread/ThreadHeaderActions.tsx'
import { cx } from '../../ui/cx.ts'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { isListPath } from '../../shell/navigation/navigateUp.ts'
import paneStyles from '../../shell/Pane.module.css'
import styles from './Conversation.module.css'
import { PaneHeader } from '../../shell/PaneHeader.tsx'
import PaneEdge from '../../shell/PaneEdge.tsx'
import { usePaneWidth } from '../../shell/usePaneWidth.ts'
import { titleOf } from '../../features/parts/channels/titleOf.ts'
import { Replies } from './Replies.tsx'

interface Props {
  channelId: string
  rootId: string
  /** Shown as a third column; otherwise it replaces the conversation. */
  beside: boolean
}

/** A thread: its first message and replies. */
export default function ThreadPane({ channelId, rootId, beside }: Props) {
  const channel = useChannel(channelId)
  const pane = useRef<HTMLElement>(null)
  const width = usePaneWidth('thread')
  useEffect(() => openChannel(channelId), [channelId])
  useLayoutEffect(() => {
    const section = pane.current
    return () => {
      if (section?.contains(document.activeElement)) queueMicrotask(() => focusRoot(rootId))
    }
  }, [rootId])
  const from = useEntryState().from
  const back = !beside && from && isListPath(from) ? from : pathTo('channel', { channelId })
  const title = typeof channel === 'string' ? '' : titleOf(channel)
  return (
    <section
      ref={pane}
      className={cx(paneStyles.pane, beside && paneStyles.beside)}
      style={beside ? width : {}}
      data-pane
      aria-label={i18n._('Thread in {place}', { place: title })}
    >
      <PaneHeader
        title={i18n._('Thread')}
        back={back}
        aside={
          title ? (
            <Link
              href={pathTo('message', { channelId, messageId: rootId })}
              className={styles.introText}
              title={i18n._('View in conversation')}
            >
              <bdi>{i18n._('in {place}', { place: title })}</bdi>
            </Link>
          ) : null
        }
      >
        <ThreadHeaderActions
          channelId={channelId}
          rootId={rootId}
          mayFollow={typeof channel !== 'string' && channel.isMember}
          back={back}
        />
      </PaneHeader>
      {channel === 'missing' ? (
        <p className={paneStyles.error}>
          {i18n._('This thread doesn’t exist, or you don’t have access to it.')}
        </p>
      ) : channel === 'loading' ? (
        <div className={paneStyles.loading}>
          <Skeleton label={i18n._('Loading the thread')} rows={4} />
        </div>
      ) : (
        <Replies channel={channel} rootId={rootId} title={title} />
      )}
      {beside ? <PaneEdge name="thread" /> : null}
    </section>
  )
}

/** When the pane is closed while it has the focus, the focus moves to the thread's first message. */
function focusRoot(rootId: string) {
  if (document.activeElement !== document.body) return
  const to = document.getElementById(`channel-${rootId}`) ?? document.querySelector<HTMLElement>('main h1')
  to?.focus({ preventScroll: true })
}
