import { Suspense, useEffect, useSyncExternalStore } from 'react'
import {
  endReauthentication,
  isReauthenticating,
  onReauthentication,
} from '../../../data/client/reauthentication.ts'
import { lazyComponent } from '../../../ui/lazyComponent.tsx'

const ConfirmIdentity = lazyComponent(() => import('./ConfirmIdentity.tsx'))

/** Shows the dialog in which the user authenticates again, while a command waits for it. */
export default function ReauthenticationHost() {
  const isShown = useSyncExternalStore(onReauthentication, isReauthenticating)
  useEffect(() => () => endReauthentication(false), [])
  return (
    <Suspense>
      {isShown ? (
        <ConfirmIdentity
          onDone={() => endReauthentication(true)}
          onClose={() => endReauthentication(false)}
        />
      ) : null}
    </Suspense>
  )
}
