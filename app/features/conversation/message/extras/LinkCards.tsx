import { Suspense } from 'react'
import { lazyComponent } from '../../../../ui/lazyComponent.tsx'
import { cardLinksOf } from '../../../parts/body/cardLinks.ts'

const LinkCard = lazyComponent(() => import('./LinkCard.tsx'), { preload: true })

/** Height of a card while its code is loading, in px. */
const ESTIMATED_HEIGHT = 60

/** The cards of the messages, threads and files of this server that a text links. */
export function LinkCards({ body }: { body: string }) {
  return cardLinksOf(body).map((link) => (
    <Suspense key={link.path} fallback={<div style={{ height: ESTIMATED_HEIGHT }} aria-busy="true" />}>
      <LinkCard {...link} />
    </Suspense>
  ))
}
