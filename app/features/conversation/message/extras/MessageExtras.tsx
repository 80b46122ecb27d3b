import { Suspense } from 'react'
import type { Message, MessageExtras as Extras } from '../../../../../wire/messages.ts'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'

const ExtrasContent = lazyComponent(() => import('./ExtrasContent.tsx'), { preload: true })

interface Props {
  /** A quote and what shows that a message was moved are above its text, everything else below. */
  position: 'above' | 'below'
  extras: Extras | null
  /** Null while it is being sent: nobody can vote yet. */
  message: Message | null
  /** Whether the reader may react. */
  mayReact: boolean
}

/** What a message carries besides its text. While it loads, a placeholder takes its space. */
export function MessageExtras({ position, extras, message, mayReact }: Props) {
  if (!extras) return null
  const { poll, quote, forward, cards } = extras
  const referenced = (position === 'above' ? quote : forward) ? 60 : 0
  const below = position === 'below'
  // px
  const estimatedHeight =
    referenced + (below ? (poll ? 60 + poll.options.length * 44 : 0) + 80 * (cards?.items.length ?? 0) : 0)
  return (
    <Suspense fallback={<div style={{ height: estimatedHeight }} aria-busy="true" />}>
      <ExtrasContent position={position} extras={extras} message={message} mayReact={mayReact} />
    </Suspense>
  )
}
