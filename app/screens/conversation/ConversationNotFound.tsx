import { i18n } from '@lingui/core'
import { Suspense } from 'react'
import { isolateBidi } from '../../data/people/isolateBidi.ts'
import { useOverlay } from '../../features/parts/overlays/OverlayContext.ts'
import { Button } from '../../ui/Button.tsx'
import { PaneHeader } from '../../shell/PaneHeader.tsx'
import styles from '../../shell/Pane.module.css'
import { lazyComponent } from '../../ui/lazyComponent.tsx'

// Unsent messages for this conversation can only be shown here.
const UnsentMessages = lazyComponent(() => import('../../features/conversation/message/UnsentMessages.tsx'))

/**
 * Shown for unknown and for forbidden conversations alike, so that neither can be distinguished. `lastTitle`:
 * the title until a moment ago, if the reader was removed while reading.
 */
export default function ConversationNotFound({
  channelId,
  lastTitle,
}: {
  channelId: string
  lastTitle: string | null
}) {
  const open = useOverlay()
  return (
    <section className={styles.pane} aria-label={lastTitle ?? i18n._('Not found')}>
      <PaneHeader title={lastTitle ? <bdi>{lastTitle}</bdi> : i18n._('Not found')} />
      <div className={styles.error}>
        <p role="status">
          {lastTitle
            ? i18n._(
                'You no longer have access to {place}: you were removed, or it was made private. Your messages are still there.',
                { place: isolateBidi(lastTitle) },
              )
            : i18n._(
                'This conversation doesn’t exist, or you’re not in it. Choose another from the sidebar.',
              )}
        </p>
        <div className={styles.actions}>
          <Button variant="primary" onClick={() => open({ kind: 'palette' })}>
            {i18n._('Open a conversation')}
          </Button>
          <Button onClick={() => open({ kind: 'browse-channels' })}>{i18n._('Browse channels')}</Button>
        </div>
      </div>
      <Suspense>
        <UnsentMessages channelId={channelId} />
      </Suspense>
    </section>
  )
}
