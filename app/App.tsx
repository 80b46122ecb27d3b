import { i18n } from '@lingui/core'
import { Suspense, lazy, useEffect } from 'react'
import { Redirect } from './ui/Link.tsx'
import { usePage, usePageAddress } from './ui/pageAddress.ts'
import { pathTo, signInAddress, type PageOfPath } from './paths.ts'
import { PageContent, ROUTES } from './routes.tsx'
import { onError } from './data/failures/reportError.ts'
import { useAccount } from './data/session/account.ts'
import { useDevicePreference } from './data/hooks/useDevicePreference.ts'
import { useWorkspace } from './data/session/useWorkspace.ts'
import { useMe } from './features/parts/members/MeContext.ts'
import { Shell } from './shell/Shell.tsx'
import { Button } from './ui/Button.tsx'
import { LiveRegion } from './ui/LiveRegion.tsx'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'
import { useToast } from './ui/toast.ts'
import { Toaster } from './ui/Toaster.tsx'
import { Page } from './ui/Page.tsx'
import { Skeleton } from './ui/Skeleton.tsx'
import { useDelayed } from './ui/useDelayed.ts'

const TwoFactorPage = lazy(() => import('./screens/account/twoFactor/TwoFactorPage.tsx'))
const SetUpFactor = lazy(() => import('./screens/account/twoFactor/SetUpFactor.tsx'))
const NoWorkspace = lazy(() => import('./screens/account/join/NoWorkspace.tsx'))
const KeepAccess = lazy(() => import('./screens/account/join/KeepAccess.tsx'))
const WorkspaceEnded = lazy(() => import('./screens/account/join/WorkspaceEnded.tsx'))
const NotFound = lazy(() => import('./screens/account/NotFound.tsx'))

/** The app. It chooses a page by the path of the address. */
export function App() {
  return (
    <Toaster>
      <ErrorBoundary>
        <Suspense>
          <CurrentPage />
        </Suspense>
      </ErrorBoundary>
      <LiveRegion />
    </Toaster>
  )
}

function CurrentPage() {
  const page = usePage()
  if (!page) return <NotFound />
  return ROUTES[page.name].frame === 'account' ? <PageContent page={page} /> : <RequireSession page={page} />
}

/** Milliseconds until the work in the background starts. Visible messages are loaded first. */
const START_AFTER_MS = 3_000

/**
 * Renders a page that needs a session. A visitor without a session is redirected to the sign-in page and comes back
 * afterwards.
 */
function RequireSession({ page }: { page: PageOfPath }) {
  const account = useAccount()
  const address = usePageAddress()
  if (account.status === 'loading') return <Skeleton label={i18n._('Loading Linnet')} />
  if (account.status === 'signed-out') return <Redirect to={signInAddress(address)} />
  if (account.status === 'mfa-required') return <TwoFactorPage />
  return ROUTES[page.name].frame === 'none' ? <PageContent page={page} /> : <Messenger page={page} />
}

const startWork = () =>
  void import('./data/session/startBackgroundWork.ts')
    .then((loaded) => loaded.startBackgroundWork())
    .catch(() => {})

function Messenger({ page }: { page: PageOfPath }) {
  const session = useWorkspace()
  const [offersSignIn] = useDevicePreference('signInOffer')
  const showToast = useToast()
  const current = session.status === 'ready' && !session.cached
  useEffect(() => {
    if (!current) return
    const timer = setTimeout(startWork, START_AFTER_MS)
    return () => clearTimeout(timer)
  }, [current])
  useEffect(() => onError(({ message }) => showToast({ text: message })), [showToast])
  switch (session.status) {
    case 'loading':
      return <Skeleton label={i18n._('Loading Linnet')} />
    case 'failed':
      return (
        <Page title={i18n._('Linnet couldn’t load')} lead={session.failure.message}>
          <div>
            <Button variant="primary" onClick={session.retry}>
              {i18n._('Try again')}
            </Button>
          </div>
        </Page>
      )
    case 'no-workspace':
      return <NoWorkspaceAfterDelay />
    case 'second-factor-required':
      return <SetUpFactor paused={session.paused} />
    case 'workspace-ended':
      return <WorkspaceEnded ended={session.ended} workspaces={session.workspaces} />
    case 'ready':
      if (offersSignIn) return <KeepAccess />
      // Nothing that a component stores of one workspace is shown in another.
      return (
        <Shell key={session.workspace.id} session={session}>
          <MessengerPage page={page} />
        </Shell>
      )
  }
}

function MessengerPage({ page }: { page: PageOfPath }) {
  const me = useMe()
  if (!ROUTES[page.name].isFor(me)) return <Redirect to={pathTo('settings')} />
  return <PageContent page={page} />
}

/**
 * The session has no workspace for a moment after one was created or joined. This component waits until the workspace
 * is loaded.
 */
function NoWorkspaceAfterDelay() {
  return useDelayed(true, 1_000) ? <NoWorkspace /> : null
}
