import { i18n } from '@lingui/core'
import { Suspense, lazy, useEffect } from 'react'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { signInAddress, usePageAddress } from './ui/pageAddress.ts'
import { onError } from './data/failures/reportError.ts'
import { useAccount } from './data/session/account.ts'
import { useWorkspace } from './data/session/useWorkspace.ts'
import { Shell } from './shell/Shell.tsx'
import { Button } from './ui/Button.tsx'
import { LiveRegion } from './ui/LiveRegion.tsx'
import { ErrorBoundary } from './ui/ErrorBoundary.tsx'
import { useToast } from './ui/toast.ts'
import { Toaster } from './ui/Toaster.tsx'
import { Page } from './ui/Page.tsx'
import { Skeleton } from './ui/Skeleton.tsx'
import { useDelayed } from './ui/useDelayed.ts'

const FirstRun = lazy(() => import('./screens/first-run/FirstRun.tsx'))
const SignIn = lazy(() => import('./screens/account/signIn/SignIn.tsx'))
const ForgottenPassword = lazy(() => import('./screens/account/password/ForgottenPassword.tsx'))
const NewPassword = lazy(() => import('./screens/account/password/NewPassword.tsx'))
const Confirm = lazy(() => import('./screens/account/link/Confirm.tsx'))
const DevicePage = lazy(() => import('./screens/account/link/DevicePage.tsx'))
const Callback = lazy(() => import('./screens/account/link/Callback.tsx'))
const TwoFactorPage = lazy(() => import('./screens/account/twoFactor/TwoFactorPage.tsx'))
const JoinPage = lazy(() => import('./screens/account/join/JoinPage.tsx'))
const Consent = lazy(() => import('./screens/account/consent/Consent.tsx'))
const NoWorkspace = lazy(() => import('./screens/account/join/NoWorkspace.tsx'))
const NotFound = lazy(() => import('./screens/account/NotFound.tsx'))

/** Paths of the messenger: pages, settings, and conversations with a thread, a message or their files. */
const MESSENGER =
  /^\/(?:(?:activity|drafts|files|people|saved|scheduled|search|settings(?:\/.*)?|threads|unread|c\/[^/]+(?:\/(?:files|[mt]\/[^/]+))?)\/?)?$/

/** The routes of the app. The messenger is part of the shell; account pages are loaded on demand. */
export function App() {
  return (
    <Toaster>
      <ErrorBoundary>
        <Suspense>
          <Switch>
            <Route path="/setup" component={FirstRun} />
            <Route path="/sign-in" component={SignIn} />
            <Route path="/forgotten" component={ForgottenPassword} />
            <Route path="/new-password" component={NewPassword} />
            <Route path="/confirm" component={Confirm} />
            <Route path="/device" component={DevicePage} />
            <Route path="/auth/callback" component={Callback} />
            <Route path="/join" component={JoinPage} />
            <Route path={MESSENGER} component={RequireSession} />
            <Route path="/oauth/consent" component={RequireSession} />
            <Route component={NotFound} />
          </Switch>
        </Suspense>
      </ErrorBoundary>
      <LiveRegion />
    </Toaster>
  )
}

/**
 * Milliseconds until the app is stored for offline use and push messages are handled. Visible messages are loaded
 * first.
 */
const START_AFTER_MS = 3_000

/**
 * Renders the routes that need a session. A visitor without a session is redirected to the sign-in page and comes
 * back afterwards.
 */
function RequireSession() {
  const account = useAccount()
  const [path] = useLocation()
  const address = usePageAddress()
  if (account.status === 'loading') return <Skeleton label={i18n._('Loading Linnet')} />
  if (account.status === 'signed-out') return <Redirect to={signInAddress(address)} replace />
  if (account.status === 'mfa-required') return <TwoFactorPage />
  return path === '/oauth/consent' ? <Consent /> : <SignedIn />
}

async function startPush(): Promise<void> {
  const { storeAppAndWatchPush } = await import('./data/push/storeAppAndWatchPush.ts')
  await storeAppAndWatchPush()
}

function SignedIn() {
  const session = useWorkspace()
  const showToast = useToast()
  const current = session.status === 'ready' && !session.cached
  useEffect(() => {
    if (!current) return
    const timer = setTimeout(() => void startPush().catch(() => {}), START_AFTER_MS)
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
    case 'ready':
      // Nothing that a component stores of one workspace is shown in another.
      return <Shell key={session.workspace.id} session={session} />
  }
}

/**
 * The session has no workspace for a moment after one was created or joined. This component waits until the workspace
 * is loaded.
 */
function NoWorkspaceAfterDelay() {
  return useDelayed(true, 1_000) ? <NoWorkspace /> : null
}
