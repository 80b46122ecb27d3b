import { i18n } from '@lingui/core'
import { Suspense, useCallback, useEffect, useState, type ReactNode } from 'react'
import { usePathname } from 'wouter/use-browser-location'
import { useSidebarGroups } from '../data/sidebar/sections.ts'
import { useConnection, type WorkspaceLoadState } from '../data/session/useWorkspace.ts'
import { openWorkspace } from '../data/session/startClientSession.ts'
import { OverlayHost } from '../features/flows/overlays/OverlayHost.tsx'
import { OverlayContext, type Overlay } from '../features/parts/overlays/OverlayContext.ts'
import { MeContext } from '../features/parts/members/MeContext.ts'
import { useIsDisconnected } from '../features/parts/useIsDisconnected.ts'
import { useShortcuts } from '../features/parts/shortcuts/useShortcuts.ts'
import { Sidebar } from '../features/flows/sidebar/Sidebar.tsx'
import { PaneBoundary } from '../ui/ErrorBoundary.tsx'
import { COMPOSER_FIELD } from '../ui/field.ts'
import { lazyComponent } from '../ui/lazyComponent.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { useDelayed } from '../ui/useDelayed.ts'
import { PHONE, useMedia } from '../ui/useMedia.ts'
import { nextUnread } from './navigation/nextUnread.ts'
import { usePaneWidth } from './usePaneWidth.ts'
import { navigate, recordNavigation } from '../historyState.ts'
import { conversationIn, pathTo } from '../paths.ts'
import { SetPageTitleContext } from './SetPageTitleContext.ts'
import styles from './Shell.module.css'
import { useSidebar, useChannel } from '../data/channels/channels.ts'
import { titleOf } from '../features/parts/channels/titleOf.ts'

const OfflineBanner = lazyComponent(() => import('./banners/OfflineBanner.tsx'), { preload: true })
const DeletionBanner = lazyComponent(() => import('./banners/DeletionBanner.tsx'))
const SecondFactorBanner = lazyComponent(() => import('./banners/SecondFactorBanner.tsx'))
const PhoneTabs = lazyComponent(() => import('./phone/PhoneTabs.tsx'))
const PaneEdge = lazyComponent(() => import('./PaneEdge.tsx'))
const ReauthenticationHost = lazyComponent(() => import('../features/flows/account/ReauthenticationHost.tsx'))
const NotificationHost = lazyComponent(() => import('../features/flows/notifications/NotificationHost.tsx'))

type Ready = Extract<WorkspaceLoadState, { status: 'ready' }>

const loadPhoneGestures = () => import('./phone/enablePhoneGestures.ts')

interface Props {
  session: Ready
  children: ReactNode
}

/** The frame of the messenger: the sidebar beside a page. A phone shows one of them. */
export function Shell({ session, children }: Props) {
  const [overlay, setOverlay] = useState<Overlay | null>(null)
  const [title, setTitle] = useState<string | null>(null)
  const path = usePathname()
  const isPhone = useMedia(PHONE)
  const sidebarWidth = usePaneWidth('sidebar')
  const { channelId, rootId } = conversationIn(path)
  const groups = useSidebarGroups(channelId)
  const close = useCallback(() => setOverlay(null), [])
  const isListPage = path === pathTo('home')
  const offline = useConnection() === 'offline'
  const isDisconnected = useIsDisconnected()
  const unreadCount = useTitle(session.workspace.name, channelId, title)
  // Its code does not delay the first messages.
  const isSettled = useDelayed(true, 2_000)
  useEffect(recordNavigation, [])
  useEffect(() => {
    if (!isPhone) return
    let end: (() => void) | null = null
    let isStale = false
    loadPhoneGestures()
      .then(({ enablePhoneGestures }) => {
        if (!isStale) end = enablePhoneGestures()
      })
      // Offline, gestures are missing but messages can still be read and written.
      .catch(() => {})
    return () => {
      isStale = true
      end?.()
    }
  }, [isPhone])

  useShortcuts({
    onFind: () => setOverlay(overlay?.kind === 'palette' ? null : { kind: 'palette' }),
    onSearch: () => {
      close()
      navigate(pathTo('search'))
    },
    onKeys: () => setOverlay({ kind: 'keys' }),
    onUnread: (step) => {
      const shown = groups.flatMap((group) => group.items)
      const next = nextUnread(shown, channelId, step)
      if (next) navigate(pathTo('channel', { channelId: next }))
    },
    onWorkspace: (index) => {
      const workspace = session.workspaces[index]
      if (workspace && workspace.id !== session.workspace.id) void openWorkspace(workspace.id, pathTo('home'))
    },
    onEscape: () => {
      if (rootId && channelId) navigate(pathTo('channel', { channelId }))
    },
    onType: focusComposer,
  })

  const me = { ...session.me, workspace: session.workspace }
  return (
    <MeContext value={me}>
      <OverlayContext value={setOverlay}>
        <div className={styles.page}>
          <Suspense>
            {/* A conversation reports it beside its composer. */}
            {isDisconnected && channelId === null ? <OfflineBanner offline={offline} /> : null}
          </Suspense>
          <Suspense>
            {me.workspace.deletes_at || me.deletes_at || me.expires_at ? <DeletionBanner /> : null}
          </Suspense>
          <Suspense>
            {session.paused.length > 0 || (me.workspace.second_factor_from && me.second_factor === false) ? (
              <SecondFactorBanner paused={session.paused} />
            ) : null}
          </Suspense>
          <Suspense>
            {isSettled ? <NotificationHost {...{ channelId, rootId, unreadCount }} /> : null}
          </Suspense>
          <Suspense>{isSettled ? <ReauthenticationHost /> : null}</Suspense>
          <div className={styles.shell}>
            {isPhone && !isListPage ? null : (
              <div className={styles.sidebar} style={isPhone ? {} : sidebarWidth}>
                <PaneBoundary>
                  <Sidebar openId={channelId} hasOthers={session.workspaces.length > 1} />
                </PaneBoundary>
                {isPhone || !isSettled ? null : (
                  <Suspense>
                    <PaneEdge name="sidebar" />
                  </Suspense>
                )}
              </div>
            )}
            {isPhone && isListPage ? null : (
              <main className={styles.main}>
                <div className={styles.panes}>
                  <PaneBoundary resetKey={path}>
                    <SetPageTitleContext value={setTitle}>
                      <Suspense fallback={<Skeleton label={i18n._('Loading…')} />}>{children}</Suspense>
                    </SetPageTitleContext>
                  </PaneBoundary>
                </div>
              </main>
            )}
          </div>
          {isPhone && !channelId ? (
            <div className={styles.tabs}>
              <Suspense>
                <PhoneTabs />
              </Suspense>
            </div>
          ) : null}
        </div>
        <OverlayHost overlay={overlay} onClose={close} />
      </OverlayContext>
    </MeContext>
  )
}

/** Focuses the composer of the open thread, or else of the conversation. */
function focusComposer() {
  const fields = document.querySelectorAll<HTMLElement>(COMPOSER_FIELD)
  fields[fields.length - 1]?.focus({ preventScroll: true })
}

/** Sets the document title: number of unread items, conversation or page, workspace. Returns the number. */
function useTitle(workspace: string, channelId: string | null, page: string | null): number {
  const { channels, directs } = useSidebar()
  const channel = useChannel(channelId ?? '')
  let unreadCount = 0
  for (const item of channels) unreadCount += item.mentions
  for (const item of directs) if (!item.muted) unreadCount += item.unread
  const title = channelId === null || typeof channel === 'string' ? page : titleOf(channel)
  useEffect(() => {
    const location = title ? i18n._('{here} · {workspace}', { here: title, workspace }) : workspace
    document.title = unreadCount > 0 ? `(${Math.min(unreadCount, 99)}) ${location}` : location
  }, [title, unreadCount, workspace])
  return unreadCount
}
