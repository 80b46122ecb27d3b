import { i18n } from '@lingui/core'
import { Suspense } from 'react'
import { isolated } from '../../data/people/isolated.ts'
import { useOverlay } from '../../features/overlays/OverlayContext.ts'
import { Button } from '../../ui/Button.tsx'
import { PaneHead } from './PaneHead.tsx'
import styles from './Pane.module.css'
import { lazily } from '../../ui/lazily.tsx'

// What was written here and not taken is shown where else nothing is.
const Unsent = lazily(() => import('../../features/message/Unsent.tsx'))

/**
 * Unknown and forbidden look the same: nothing tells which. `was`: what stood here until a moment ago, for whoever was
 * put out while reading.
 */
export default function NoSuchPlace({ channelId, was }: { channelId: string; was: string | null }) {
  const open = useOverlay()
  return (
    <section className={styles.pane} aria-label={was ?? i18n._('Not found')}>
      <PaneHead title={was ? <bdi>{was}</bdi> : i18n._('Not found')} back="/" />
      <div className={styles.failed}>
        <p role="status">
          {was
            ? i18n._(
                'You’re not in {place} any more: someone removed you from it, or it became private without you. What you wrote there stays.',
                { place: isolated(was) },
              )
            : i18n._('There is no such conversation, or you are not in it. Choose another one at the side.')}
        </p>
        <div className={styles.ways}>
          <Button look="primary" onClick={() => open({ kind: 'palette' })}>
            {i18n._('Go to another conversation')}
          </Button>
          <Button onClick={() => open({ kind: 'browse-channels' })}>{i18n._('Browse channels')}</Button>
        </div>
      </div>
      <Suspense>
        <Unsent channelId={channelId} />
      </Suspense>
    </section>
  )
}
