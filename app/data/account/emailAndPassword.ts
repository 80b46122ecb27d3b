import { pathTo } from '../../paths.ts'
import { toStoredAddress } from '../../../wire/emailAddress.ts'
import { success, withoutValue, type Outcome } from '../failures/failures.ts'
import { callbackUrl } from '../session/internalPath.ts'
import { offerSession, type NewSession } from '../session/offeredSession.ts'
import { requestAuth, refreshSession } from '../client/requestAuth.ts'
import { refetchAccountAfter } from './ownAccount.ts'

/**
 * Requests a change of the user's address: a code and a link are mailed to the old and the new one. Without PKCE, since
 * the mails may be opened in any browser.
 */
export async function changeEmail(email: string): Promise<Outcome> {
  const back = encodeURIComponent(callbackUrl(pathTo('securitySettings')))
  const body = { email: toStoredAddress(email) }
  const response = await requestAuth(`user?redirect_to=${back}`, { method: 'PUT', body })
  return withoutValue(refetchAccountAfter(response))
}

/** Sends both mails again. */
export async function resendEmailChange(email: string): Promise<Outcome> {
  return withoutValue(
    await requestAuth('resend', {
      method: 'POST',
      body: { type: 'email_change', email: toStoredAddress(email) },
    }),
  )
}

/** Confirms with the code that was mailed to one address. `more`: the other address has to confirm too. */
export function confirmEmailChange(email: string, code: string): Promise<Outcome<'more' | 'changed'>> {
  return verifyEmailChange({ email, token: code })
}

/** Confirms with the link that was mailed to one address. */
export function confirmEmailChangeByLink(tokenHash: string): Promise<Outcome<'more' | 'changed'>> {
  return verifyEmailChange({ token_hash: tokenHash })
}

/**
 * Signs nobody in: the server's session is stored only if its account is the signed-in one, and otherwise ended. Anybody
 * can mail a link that changes the address of an account of their own.
 */
async function verifyEmailChange(proof: object): Promise<Outcome<'more' | 'changed'>> {
  const response = await requestAuth<Partial<NewSession>>('verify', {
    method: 'POST',
    body: { type: 'email_change', ...proof },
  })
  if (!response.ok) return response
  const { access_token, refresh_token, user } = response.value
  if (!access_token || !refresh_token || !user) return success('more')
  const offered = await offerSession({ access_token, refresh_token, user }, null)
  if (!offered.ok) return offered
  await offered.value?.decline()
  return refetchAccountAfter(success('changed'))
}

/** Sets a password. `current` (the present password) and `nonce` (a mailed code) if the server requires them. */
export async function changePassword(
  password: string,
  proof: { current?: string; nonce?: string } = {},
): Promise<Outcome> {
  const response = await requestAuth('user', {
    method: 'PUT',
    body: {
      password,
      ...(proof.current ? { current_password: proof.current } : {}),
      ...(proof.nonce ? { nonce: proof.nonce } : {}),
    },
  })
  return response.ok ? refetchAccountAfter(await refreshSession()) : response
}

/** Mails a code for reauthentication. */
export async function sendReauthenticationCode(): Promise<Outcome> {
  const response = await requestAuth('reauthenticate')
  return withoutValue(response)
}
