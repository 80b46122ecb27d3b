import { done, type Outcome } from '../failures/failures.ts'
import { offerSession, type NewSession } from '../session/offeredSession.ts'
import { askAuth, renewSession } from '../client/requestAuth.ts'

/**
 * Asks to change one's address: both the old and the new one are mailed a code and a link. Without a challenge of
 * PKCE, since the mail may be opened anywhere, and does the same everywhere.
 */
export async function changeEmail(email: string): Promise<Outcome> {
  const back = encodeURIComponent(`${location.origin}/auth/callback?next=/settings/security`)
  const answer = await askAuth(`user?redirect_to=${back}`, { method: 'PUT', body: { email } })
  return answer.ok ? done(undefined) : answer
}

/** Mails both once more. */
export async function mailChangeAgain(email: string): Promise<Outcome> {
  const answer = await askAuth('resend', { method: 'POST', body: { type: 'email_change', email } })
  return answer.ok ? done(undefined) : answer
}

/** Confirms with the code that one address was mailed. `more`: the other address has still to confirm. */
export function confirmChange(email: string, code: string): Promise<Outcome<'more' | 'changed'>> {
  return verifyChange({ email, token: code })
}

/** Confirms with the link that one address was mailed. */
export function confirmChangeByLink(tokenHash: string): Promise<Outcome<'more' | 'changed'>> {
  return verifyChange({ token_hash: tokenHash })
}

/**
 * Signs nobody in: the session that the server sends is used where it belongs to the account that is signed in, and
 * ended elsewhere. Anybody can have a link mailed that changes the address of an account of their own.
 */
async function verifyChange(proof: object): Promise<Outcome<'more' | 'changed'>> {
  const answer = await askAuth<Partial<NewSession>>('verify', {
    method: 'POST',
    body: { type: 'email_change', ...proof },
  })
  if (!answer.ok) return answer
  const { access_token, refresh_token, user } = answer.value
  if (!access_token || !refresh_token || !user) return done('more')
  const offered = await offerSession({ access_token, refresh_token, user }, null)
  if (!offered.ok) return offered
  await offered.value?.decline()
  return done('changed')
}

/** Chooses a password. `current` and `nonce` where the server asks for them: the password so far, a mailed code. */
export async function changePassword(
  password: string,
  proof: { current?: string; nonce?: string } = {},
): Promise<Outcome> {
  const answer = await askAuth('user', {
    method: 'PUT',
    body: {
      password,
      ...(proof.current ? { current_password: proof.current } : {}),
      ...(proof.nonce ? { nonce: proof.nonce } : {}),
    },
  })
  return answer.ok ? renewSession() : answer
}

/** Mails the code with which one shows anew that it is oneself. */
export async function mailNonce(): Promise<Outcome> {
  const answer = await askAuth('reauthenticate')
  return answer.ok ? done(undefined) : answer
}
