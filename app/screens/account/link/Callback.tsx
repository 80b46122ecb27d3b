import { i18n } from '@lingui/core'
import { useCallback } from 'react'
import { Link, Redirect } from '../../../ui/Link.tsx'
import { navigate } from '../../../historyState.ts'
import { useAccount } from '../../../data/session/account.ts'
import { signInAddress } from '../../../paths.ts'
import { internalPath } from '../../../data/session/internalPath.ts'
import { finishCallback } from '../../../data/session/signIn.ts'
import { Page } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { useAsync } from '../../../ui/useAsync.ts'
import { OneAddressConfirmed } from './ConfirmAddress.tsx'
import { OtherAccount } from './OtherAccount.tsx'

/** Exchanges the code from the server's verification page, or from a provider, for a session. */
export default function Callback() {
  const { href } = location
  const account = useAccount()
  const outcome = useAsync(useCallback(() => finishCallback(href), [href]))
  if (outcome?.ok && outcome.value.isHalfConfirmed) return <OneAddressConfirmed />
  if (outcome?.ok) {
    const { offered, next } = outcome.value
    if (!offered) return <Redirect to={next} />
    return <OtherAccount session={offered} onAccepted={() => navigate(next, { replace: true })} />
  }
  if (outcome) {
    const next = internalPath(new URL(href).searchParams.get('next'))
    return (
      <Page title={i18n._('That didn’t work')} lead={outcome.failure.message}>
        {account.status === 'signed-in' ? (
          <Link href={next}>{i18n._('Open Linnet')}</Link>
        ) : (
          <Link href={signInAddress(next)}>{i18n._('Back to sign in')}</Link>
        )}
      </Page>
    )
  }
  return <Skeleton label={i18n._('Signing in')} />
}
