import { i18n } from '@lingui/core'
import { useState } from 'react'
import { changePassword } from '../../../data/account/emailAndPassword.ts'
import { addPasskey } from '../../../data/account/passkeys.ts'
import { signInMethods } from '../../../data/account/signInMethods.ts'
import type { Outcome } from '../../../data/failures/failures.ts'
import { useQuery } from '../../../data/queries/useQuery.ts'
import { signUpWithPassword, type LinkOptions } from '../../../data/session/signIn.ts'
import { Button } from '../../../ui/Button.tsx'
import { isLongEnough, NewPasswordField } from './NewPasswordField.tsx'

/** The sign-in method of a new account, where the server sends no codes by mail. */
export interface NewAccount {
  method: 'password' | 'passkey'
  setMethod: (method: 'password' | 'passkey') => void
  password: string
  setPassword: (password: string) => void
  hasPasskeys: boolean
  /** Whether there is an account, which has no method yet that its owner knows. */
  isPending: boolean
  isReady: boolean
  /** Creates the account and signs in, or adds the chosen method to the account of the first try. */
  create: (email: string, options: LinkOptions) => Promise<Outcome<unknown>>
}

/** The state of the fields by which a newcomer chooses a password or a passkey. */
export function useNewAccount(): NewAccount {
  const hasPasskeys = useQuery(signInMethods).value?.passkeys === true
  const [method, setMethod] = useState<'password' | 'passkey'>('password')
  const [password, setPassword] = useState('')
  // An account needs a password before a passkey can be added.
  const [temporary, setTemporary] = useState<string | null>(null)
  const create = async (email: string, options: LinkOptions) => {
    if (method === 'password')
      return temporary === null
        ? signUpWithPassword(email, password, options)
        : changePassword(password, { current: temporary })
    if (temporary === null) {
      const created = randomPassword()
      const signedUp = await signUpWithPassword(email, created, options)
      if (!signedUp.ok) return signedUp
      setTemporary(created)
    }
    return addPasskey()
  }
  return {
    method,
    setMethod,
    password,
    setPassword,
    hasPasskeys,
    isPending: temporary !== null,
    isReady: method === 'passkey' || isLongEnough(password),
    create,
  }
}

/** A password that nobody knows. It has all kinds of characters that a server may require. */
function randomPassword(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(24))
  return `aA1!${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** The fields by which a newcomer chooses a password or a passkey. */
export function NewAccountFields({ account }: { account: NewAccount }) {
  const { method, setMethod, hasPasskeys } = account
  return (
    <>
      {method === 'password' ? (
        <NewPasswordField
          label={i18n._('Password')}
          value={account.password}
          onChange={account.setPassword}
        />
      ) : (
        <p className="muted">
          {i18n._('Sign in with your fingerprint, face or device PIN. No email or password needed.')}
        </p>
      )}
      {hasPasskeys ? (
        <div>
          <Button variant="quiet" onClick={() => setMethod(method === 'password' ? 'passkey' : 'password')}>
            {method === 'password' ? i18n._('Use a passkey instead') : i18n._('Choose a password instead')}
          </Button>
        </div>
      ) : null}
    </>
  )
}
