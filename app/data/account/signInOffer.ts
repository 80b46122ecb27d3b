import { storePreference } from '../../devicePreferences.ts'
import { loadSettings } from '../client/settings.ts'
import { sessionByCookie } from '../client/sessionCookie.ts'
import { success, type Outcome } from '../failures/failures.ts'
import { createQuery } from '../queries/createQuery.ts'
import { getClientSession } from '../session/clientSession.ts'
import { authenticationsOf } from './authentications.ts'
import { passkeyList } from './passkeys.ts'
import { signInMethods } from './signInMethods.ts'

/** Methods of a session that need a mail, or the administrator who reads the server's mailbox. */
const MAILED_METHODS = new Set(['otp', 'magiclink', 'email/signup', 'invite', 'recovery', 'email_change'])

/** How a person without a way to sign in again can get one. */
export interface SignInOffer {
  /** False: there is nothing to offer. */
  isNeeded: boolean
  hasPasskeys: boolean
}

/**
 * Offers a password or passkey once the user is in their first workspace. Call it before the command that lets them join, which
 * adds the workspace to the session.
 */
export function requestSignInOffer(): void {
  if ((getClientSession()?.store.get().workspaces.length ?? 0) > 0) return
  // Where mails are sent, the messenger opens without another check.
  if (signInMethods.get()?.hasLocalMailbox !== false) storePreference('signInOffer', true)
}

/** Makes no offer any more. */
export function endSignInOffer(): void {
  storePreference('signInOffer', false)
}

/**
 * Whether the user could sign in again only with the administrator's help: the server mails nothing, the session has
 * begun with a code, and the account has no passkey. The server does not reveal whether an account has a password.
 */
async function fetchOffer(): Promise<Outcome<SignInOffer>> {
  const methods = await signInMethods.load()
  if (!methods.ok) return methods
  const { hasLocalMailbox, passkeys: hasPasskeys } = methods.value
  const session = sessionByCookie(await loadSettings())
  if (!hasLocalMailbox || !session || !isMailedSession(session.access_token)) {
    return success({ isNeeded: false, hasPasskeys })
  }
  if (!hasPasskeys) return success({ isNeeded: true, hasPasskeys })
  const list = await passkeyList.load()
  return success({ isNeeded: !list.ok || list.value.length === 0, hasPasskeys })
}

/** Whether all methods of a session's token need a mail. The token is not verified here. */
export function isMailedSession(token: string): boolean {
  const amr = authenticationsOf(token)
  return amr !== undefined && amr.every(({ method }) => MAILED_METHODS.has(method))
}

export const signInOffer = createQuery({ fetch: fetchOffer })
