import { Suspense, lazy, useEffect } from 'react'
import { saveScrollPosition } from '../../data/messages/readPosition.ts'
import { PaneBoundary } from '../../ui/ErrorBoundary.tsx'
import { ChannelPane } from './ChannelPane.tsx'

const ThreadPane = lazy(() => import('./ThreadPane.tsx'))

interface Props {
  channelId: string
  rootId: string | null
  messageId: string | null
  /** Whether there is space for the thread beside the conversation; otherwise it replaces it. */
  wide: boolean
}

/** The panes of a conversation and of its open thread. */
export default function Panes({ channelId, rootId, messageId, wide }: Props) {
  // The scroll position is kept while a thread replaces the conversation. Opened again later, the conversation starts
  // at the end.
  useEffect(() => () => saveScrollPosition(channelId, null), [channelId])
  return (
    <>
      {wide || !rootId ? (
        <PaneBoundary key={channelId}>
          <ChannelPane channelId={channelId} messageId={messageId} threadOpen={rootId !== null} />
        </PaneBoundary>
      ) : null}
      <Suspense>
        {rootId ? (
          <PaneBoundary key={rootId}>
            <ThreadPane channelId={channelId} rootId={rootId} beside={wide} />
          </PaneBoundary>
        ) : null}
      </Suspense>
    </>
  )
}
