import { i18n } from '@lingui/core'
import { useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { refreshSession } from '../../../data/client/requestAuth.ts'
import { fetchAccount, verifiedFactors } from '../../../data/account/ownAccount.ts'
import { success } from '../../../data/failures/failures.ts'
import { createQuery } from '../../../data/queries/createQuery.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { signOut, useAccount } from '../../../data/session/account.ts'
import { Button } from '../../../ui/Button.tsx'
import { Page } from '../../../ui/Page.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import styles from '../../../features/flows/account/account.module.css'
import { FactorCode } from '../../../features/flows/account/FactorCode.tsx'
import { FactorKey } from '../../../features/flows/account/FactorKey.tsx'
import { factorName } from '../../../features/flows/account/factorName.ts'
import { LostFactor } from './LostFactor.tsx'

/** Asks for the second factor; the requested page is rendered afterwards. */
export default function TwoFactorPage() {
  const { email } = useAccount()
  const { value: factors, failure, retry } = useQuery(requiredFactors, [email])
  const [chosen, setChosen] = useState<string | null>(null)
  const leaveAccount = () => void signOut().then(() => navigate(pathTo('signIn')))

  if (failure) {
    return (
      <Page title={i18n._('Two-factor authentication')} lead={failure.message}>
        <div className={styles.options}>
          <Button onClick={retry}>{i18n._('Try again')}</Button>
          <Button variant="quiet" onClick={leaveAccount}>
            {i18n._('Sign out')}
          </Button>
        </div>
      </Page>
    )
  }
  if (!factors) return <Skeleton label={i18n._('Loading your two-factor methods')} />
  const factor = factors.find(({ id }) => id === chosen) ?? factors[0]
  const others = factors.filter((one) => one !== factor)
  return (
    <Page title={i18n._('Two-factor authentication')} lead={email}>
      {factor?.factor_type === 'webauthn' ? (
        <FactorKey key={factor.id} factor={factor} autoFocus={chosen !== null} />
      ) : factor ? (
        <FactorCode key={factor.id} factor={factor} autoFocus={chosen !== null} />
      ) : null}
      <div className={styles.otherOptions}>
        {others.map((other) => (
          <Button key={other.id} variant="quiet" onClick={() => setChosen(other.id)}>
            {i18n._('Other method: {way}', { way: factorName(other) })}
          </Button>
        ))}
        <LostFactor />
        <Button variant="quiet" onClick={leaveAccount}>
          {i18n._('Sign out')}
        </Button>
      </div>
    </Page>
  )
}

/** The factors of the account with this email address: there is no client session before one of them is verified. */
const requiredFactors = createQuery({
  fetch: async (_email: string | null) => {
    const account = await fetchAccount()
    if (!account.ok) return account
    const factors = verifiedFactors(account.value)
    // The factors were removed in the meantime: a renewed session requires none.
    if (factors.length === 0) await refreshSession()
    return success(factors)
  },
})
