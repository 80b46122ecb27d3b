import { Suspense } from 'react'
import type { Message, MessageExtras as Extras } from '../../../../wire/messages.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

const ExtrasContent = lazyComponent(() => import('./ExtrasContent.tsx'), { preload: true })

interface Props {
  /** A quote is above the text of its message, everything else below. */
  place: 'above' | 'below'
  extras: Extras | null
  /** Null while it is being sent: nobody can vote yet. */
  message: Message | null
  /** Whether the reader may react. */
  mayReact: boolean
}

/** What a message carries besides its text. While it loads, a placeholder takes its space. */
export function MessageExtras({ place, extras, message, mayReact }: Props) {
  if (!extras) return null
  const shown: Extras = place === 'above' ? { quote: extras.quote } : { ...extras, quote: undefined }
  return (
    <Suspense fallback={<div style={{ height: estimatedHeight(shown) }} aria-busy="true" />}>
      <ExtrasContent extras={shown} message={message} mayReact={mayReact} />
    </Suspense>
  )
}

/** px */
function estimatedHeight({ poll, quote, forward }: Extras): number {
  const referenced = (quote ? 60 : 0) + (forward ? 60 : 0)
  return referenced + (poll ? 60 + poll.options.length * 40 : 0)
}
