import { Suspense, lazy, useEffect } from 'react'
import { saveScrollPosition } from '../../data/messages/readPosition.ts'
import { PaneBoundary } from '../../ui/ErrorBoundary.tsx'
import { useMedia, WIDE } from '../../ui/useMedia.ts'
import { ChannelPane } from './ChannelPane.tsx'

const ThreadPane = lazy(() => import('./ThreadPane.tsx'))

interface Props {
  channelId: string
  /** The open thread. */
  rootId?: string
  /** The message to open the conversation around. */
  messageId?: string
}

/** The panes of a conversation and of its open thread. */
export default function Panes({ channelId, rootId, messageId }: Props) {
  // Whether there is space for the thread beside the conversation; otherwise it replaces it.
  const isWide = useMedia(WIDE)
  // The scroll position is kept while a thread replaces the conversation. Opened again later, the conversation starts
  // at the end.
  useEffect(() => () => saveScrollPosition(channelId, null), [channelId])
  return (
    <>
      {isWide || !rootId ? (
        <PaneBoundary key={channelId}>
          <ChannelPane
            channelId={channelId}
            messageId={messageId ?? null}
            threadOpen={rootId !== undefined}
          />
        </PaneBoundary>
      ) : null}
      <Suspense>
        {rootId ? (
          <PaneBoundary key={rootId}>
            <ThreadPane channelId={channelId} rootId={rootId} beside={isWide} />
          </PaneBoundary>
        ) : null}
      </Suspense>
    </>
  )
}
