import { i18n } from '@lingui/core'
import { useEffect, useState } from 'react'
import { pathTo } from '../../../paths.ts'
import { navigate } from '../../../historyState.ts'
import { claimSignIn, takeSignIn } from '../../../data/session/deviceSignIn.ts'
import type { OfferedSession } from '../../../data/session/offeredSession.ts'
import { confirmLink } from '../../../data/session/signIn.ts'
import type { Failure } from '../../../data/failures/failures.ts'
import { Form } from '../../../ui/Form.tsx'
import { Page } from '../../../ui/Page.tsx'
import { OtherAccount } from './OtherAccount.tsx'
import styles from '../../../features/flows/account/account.module.css'
import { MessagePage } from '../../../features/flows/account/MessagePage.tsx'

/** Milliseconds between two checks whether the other device has approved this one. */
const RETRY_MS = 1_500

/** The page that the QR code of a signed-in device opens. */
export default function DevicePage() {
  const [code] = useState(() => location.hash.slice(1))
  const [claimed, setClaimed] = useState<{ claim: string; number: number } | null>(null)
  const [offered, setOffered] = useState<OfferedSession | null>(null)
  const [failure, setFailure] = useState<Failure | null>(null)

  useEffect(() => {
    if (!claimed) return
    let timer = 0
    const check = async () => {
      const taken = await takeSignIn(claimed.claim)
      if (timer === -1) return
      if (!taken.ok && taken.failure.name === 'sign_in_code_expired') return setFailure(taken.failure)
      if (!taken.ok || taken.value.token_hash === null) {
        timer = window.setTimeout(() => void check(), RETRY_MS)
        return
      }
      const signedIn = await confirmLink({ tokenHash: taken.value.token_hash, type: 'email' })
      if (!signedIn.ok) setFailure(signedIn.failure)
      else if (signedIn.value?.offered) setOffered(signedIn.value.offered)
      else navigate(pathTo('home'), { replace: true })
    }
    timer = window.setTimeout(() => void check(), RETRY_MS)
    return () => {
      clearTimeout(timer)
      timer = -1
    }
  }, [claimed])

  if (offered)
    return <OtherAccount session={offered} onAccepted={() => navigate(pathTo('home'), { replace: true })} />
  if (!code || failure) {
    return (
      <MessagePage
        title={i18n._('This code can’t be used')}
        lead={failure?.message ?? i18n._('Scan the code again, or create a new one on your other device.')}
        to="signIn"
      />
    )
  }
  if (claimed) {
    return (
      <Page
        title={i18n._('Confirm on your other device')}
        lead={i18n._('It shows this number too. Confirm there to sign in here.')}
      >
        <p className={styles.number}>{claimed.number}</p>
      </Page>
    )
  }
  return (
    <Page
      title={i18n._('Sign in on this device?')}
      lead={i18n._('You scanned a code from a device where you’re signed in.')}
    >
      <Form action={i18n._('Continue')} run={() => claimSignIn(code)} onDone={setClaimed} />
    </Page>
  )
}
