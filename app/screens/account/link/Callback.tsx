import { i18n } from '@lingui/core'
import { Link, Redirect } from '../../../ui/Link.tsx'
import { navigate } from '../../../historyState.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { useAccount } from '../../../data/session/account.ts'
import { signInAddress } from '../../../paths.ts'
import { internalPath } from '../../../data/session/internalPath.ts'
import { finishedCallback } from '../../../data/session/signIn.ts'
import { Page } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { OneAddressConfirmed } from './ConfirmAddress.tsx'
import { OtherAccount } from './OtherAccount.tsx'

/** Exchanges the code from the server's verification page, or from a provider, for a session. */
export default function Callback() {
  const { href } = location
  const account = useAccount()
  const { value: finished, failure } = useQuery(finishedCallback, [href])
  if (finished?.isHalfConfirmed) return <OneAddressConfirmed />
  if (finished) {
    const { offered, next } = finished
    if (!offered) return <Redirect to={next} />
    return <OtherAccount session={offered} onAccepted={() => navigate(next, { replace: true })} />
  }
  if (failure) {
    const next = internalPath(new URL(href).searchParams.get('next'))
    return (
      <Page title={i18n._('That didn’t work')} lead={failure.message}>
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
