import { i18n } from '@lingui/core'
import { useEffect, useRef } from 'react'
import { signInWithPasskey } from '../../../data/account/passkeys.ts'
import { providerName, signInWithProvider } from '../../../data/account/providers.ts'
import type { SignInMethods } from '../../../data/account/signInMethods.ts'
import { Button } from '../../../ui/Button.tsx'
import styles from '../../../features/flows/account/account.module.css'
import type { Action } from '../../../ui/useAction.ts'

interface Props {
  methods: SignInMethods
  /** The path to continue to. */
  next: string
  action: Action
  onDone: () => void
}

/** Methods without an email address: a passkey and the configured providers. */
export function OtherMethods({ methods, next, action, onDone }: Props) {
  const cancelConditional = useConditionalPasskey(methods.passkeys, onDone)
  if (!methods.passkeys && methods.providers.length === 0) return null
  return (
    <>
      <p className={styles.separator}>{i18n._('or')}</p>
      <div className={styles.stack}>
        {methods.passkeys ? (
          <Button
            onClick={() => {
              // A browser permits one passkey request at a time.
              cancelConditional.current()
              void action
                .run(() => signInWithPasskey())
                .then((signedIn) => {
                  if (signedIn) onDone()
                })
            }}
          >
            {i18n._('Use a passkey')}
          </Button>
        ) : null}
        {methods.providers.map((provider) => (
          <Button key={provider} onClick={() => void action.run(() => signInWithProvider(provider, next))}>
            {i18n._('Continue with {provider}', { provider: providerName(provider) })}
          </Button>
        ))}
      </div>
    </>
  )
}

/** Offers passkeys in the autofill of the email field, until the page is left or the returned function is called. */
function useConditionalPasskey(isSupported: boolean, onDone: () => void) {
  const stop = useRef(() => {})
  useEffect(() => {
    if (!isSupported || !('isConditionalMediationAvailable' in PublicKeyCredential)) return
    const abort = new AbortController()
    stop.current = () => abort.abort()
    void (async () => {
      if (!(await PublicKeyCredential.isConditionalMediationAvailable()) || abort.signal.aborted) return
      const outcome = await signInWithPasskey({ conditional: true, signal: abort.signal })
      if (outcome.ok && !abort.signal.aborted) onDone()
    })()
    return () => abort.abort()
    // oxlint-disable-next-line react/exhaustive-deps -- asked once a visit: each question is a row on the server
  }, [isSupported])
  return stop
}
