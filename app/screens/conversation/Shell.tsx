import { i18n } from '@lingui/core'
import { Suspense, lazy, useCallback, useEffect, useState } from 'react'
import { useLocation } from 'wouter'
import { useSideGroups } from '../../data/sidebar/sections.ts'
import { useConnection, type Session } from '../../data/session/session.ts'
import { Overlays } from '../../features/overlays/Overlays.tsx'
import { OverlayContext, type Overlay } from '../../features/overlays/OverlayContext.ts'
import { MeContext } from '../../features/people/MeContext.ts'
import { useShortcuts } from '../../features/shortcuts/useShortcuts.ts'
import { Side } from '../../features/side/Side.tsx'
import { lazily } from '../../ui/lazily.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { useDelayed } from '../../ui/useDelayed.ts'
import { PHONE, useMedia, WIDE } from '../../ui/useMedia.ts'
import { addressOf } from './going/address.ts'
import { Landing } from './Landing.tsx'
import { nextUnread } from './going/nextUnread.ts'
import { noteWays } from './phone/ways.ts'
import styles from './Shell.module.css'
import { useTitle } from './useTitle.ts'

const OfflineBanner = lazily(() => import('./OfflineBanner.tsx'))
const SettingsPane = lazy(() => import('../settings/SettingsPane.tsx'))
const ThreadsPage = lazy(() => import('../threads/ThreadsPage.tsx'))
const FilesPage = lazy(() => import('../files/FilesPage.tsx'))
// Asked for at once, beside the shell: the side is drawn before, the words as soon as they are here.
const panes = import('./Panes.tsx')
const Panes = lazy(() => panes)

type Ready = Extract<Session, { status: 'ready' }>

/** The messenger: the side, a conversation, and a thread beside it; one pane at a time on a phone. */
export function Shell({ session }: { session: Ready }) {
  const [overlay, setOverlay] = useState<Overlay | null>(null)
  const [path, navigate] = useLocation()
  const phone = useMedia(PHONE)
  const wide = useMedia(WIDE)
  const { channelId, rootId, messageId, files } = addressOf(path)
  const groups = useSideGroups(channelId)
  const close = useCallback(() => setOverlay(null), [])
  const atHome = path === '/'
  const offline = useConnection() === 'offline'
  // A start over a slow network shows stored messages for a moment, too.
  const stale = useDelayed(session.cached, offline ? 500 : 4_000)
  useTitle(session.workspace.name, channelId)
  useEffect(noteWays, [])
  useEffect(() => {
    if (!phone) return
    let end: (() => void) | null = null
    let left = false
    import('./phone/beOnPhone.ts')
      .then(({ beOnPhone }) => {
        if (!left) end = beOnPhone()
      })
      // Without a network a phone still reads and writes.
      .catch(() => {})
    return () => {
      left = true
      end?.()
    }
  }, [phone])

  useShortcuts({
    onFind: () => setOverlay(overlay?.kind === 'palette' ? null : { kind: 'palette' }),
    onKeys: () => setOverlay({ kind: 'keys' }),
    onUnread: (step) => {
      const shown = groups.flatMap((group) => group.items)
      const next = nextUnread(shown, channelId, step)
      if (next) navigate(`/c/${next}`)
    },
    onEscape: () => {
      if (rootId && channelId) navigate(`/c/${channelId}`)
    },
    onType: focusComposer,
  })

  const me = { ...session.me, workspace: session.workspace }
  return (
    <MeContext value={me}>
      <OverlayContext value={setOverlay}>
        <div className={styles.page}>
          <Suspense>{stale ? <OfflineBanner offline={offline} /> : null}</Suspense>
          <div className={styles.shell}>
            {phone && !atHome ? null : (
              <div className={styles.side}>
                <Side openId={channelId} />
              </div>
            )}
            {phone && atHome ? null : (
              <main className={styles.main}>
                <div className={styles.panes}>
                  <Suspense fallback={<Skeleton label={i18n._('Loading the conversation')} />}>
                    {path.startsWith('/settings') ? <SettingsPane /> : null}
                    {path === '/threads' ? <ThreadsPage /> : null}
                    {atHome ? <Landing /> : null}
                    {files ? <FilesPage channelId={channelId} /> : null}
                    {channelId && !files ? (
                      <Panes channelId={channelId} rootId={rootId} messageId={messageId} wide={wide} />
                    ) : null}
                  </Suspense>
                </div>
              </main>
            )}
          </div>
        </div>
        <Overlays overlay={overlay} onClose={close} />
      </OverlayContext>
    </MeContext>
  )
}

/** The composer in front: that of the thread, where one is open. */
function focusComposer() {
  const fields = document.querySelectorAll<HTMLTextAreaElement>('textarea[data-compose]')
  fields[fields.length - 1]?.focus({ preventScroll: true })
}
