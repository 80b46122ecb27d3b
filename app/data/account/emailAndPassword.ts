import { success, type Outcome } from '../failures/failures.ts'
import { callbackUrl } from '../session/internalPath.ts'
import { offerSession, type NewSession } from '../session/offeredSession.ts'
import { requestAuth, refreshSession } from '../client/requestAuth.ts'

/**
 * Asks to change one's address: both the old and the new one are mailed a code and a link. Without a challenge of
 * PKCE, since the mail may be opened anywhere, and does the same everywhere.
 */
export async function changeEmail(email: string): Promise<Outcome> {
  const back = encodeURIComponent(callbackUrl('/settings/security'))
  const response = await requestAuth(`user?redirect_to=${back}`, { method: 'PUT', body: { email } })
  return response.ok ? success(undefined) : response
}

/** Mails both once more. */
export async function resendEmailChange(email: string): Promise<Outcome> {
  const response = await requestAuth('resend', { method: 'POST', body: { type: 'email_change', email } })
  return response.ok ? success(undefined) : response
}

/** Confirms with the code that one address was mailed. `more`: the other address has still to confirm. */
export function confirmEmailChange(email: string, code: string): Promise<Outcome<'more' | 'changed'>> {
  return verifyEmailChange({ email, token: code })
}

/** Confirms with the link that one address was mailed. */
export function confirmEmailChangeByLink(tokenHash: string): Promise<Outcome<'more' | 'changed'>> {
  return verifyEmailChange({ token_hash: tokenHash })
}

/**
 * Signs nobody in: the session that the server sends is used where it belongs to the account that is signed in, and
 * ended elsewhere. Anybody can have a link mailed that changes the address of an account of their own.
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
  return success('changed')
}

/** Chooses a password. `current` and `nonce` where the server requests them: the password so far, a mailed code. */
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
  return response.ok ? refreshSession() : response
}

/** Mails the code with which one shows anew that it is oneself. */
export async function sendReauthenticationCode(): Promise<Outcome> {
  const response = await requestAuth('reauthenticate')
  return response.ok ? success(undefined) : response
}
