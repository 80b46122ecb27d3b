import { i18n } from '@lingui/core'
import { toStoredAddress } from '../../../wire/emailAddress.ts'
import { getClient } from '../client/getClient.ts'
import { adoptSession, requestAuth } from '../client/requestAuth.ts'
import '../failures/accountFailures.ts'
import { createFailure, registerSentences, success, type Outcome } from '../failures/failures.ts'
import { reportException } from '../failures/reportError.ts'
import { createQuery } from '../queries/createQuery.ts'
import { endSession, type NewSession } from '../session/offeredSession.ts'
import { requestPhoneCode, requestSignInLink } from '../session/signIn.ts'
import { authenticationsOf } from './authentications.ts'
import { fetchAccount, refetchAccountAfter, verifiedFactors, type Factor } from './ownAccount.ts'
import { passkeyList, requestPasskeySession } from './passkeys.ts'
import { signInMethods } from './signInMethods.ts'

registerSentences({
  other_account: () => i18n._('This passkey belongs to another account. Use one of your own.'),
})

/** Where codes are sent: an address or a phone number. */
export type CodeAddress = { email: string } | { phone: string }

export type ReauthenticationMethod = 'password' | 'code' | 'passkey'

/** How the user can authenticate again. */
export interface ReauthenticationMethods {
  /** Of the account, if it has second factors: one of these has to be verified. */
  factors: Factor[]
  /** Whether all its second factors were added during this session, which the server does not accept. */
  hasOnlyNewFactors: boolean
  /** Of an account without second factors: the method of this session first. The server does not reveal whether it has a password. */
  methods: ReauthenticationMethod[]
  email: string
  /** Null: the account has neither an address nor a phone number. */
  codeAddress: CodeAddress | null
}

async function fetchMethods(): Promise<Outcome<ReauthenticationMethods>> {
  const account = await fetchAccount()
  if (!account.ok) return account
  const { email, phone } = account.value
  const { data } = await (await getClient()).auth.getSession()
  const used = authenticationsOf(data.session?.access_token ?? '') ?? []
  const factors = verifiedFactors(account.value)
  if (factors.length > 0) {
    const start = Math.min(...used.map(({ timestamp }) => timestamp))
    const older = factors.filter(({ created_at }) => Date.parse(created_at) / 1000 < start)
    return success({
      factors: older,
      hasOnlyNewFactors: older.length === 0,
      methods: [],
      email,
      codeAddress: null,
    })
  }
  const server = await signInMethods.load()
  const { mailedCodes = true, passwords = true } = server.ok ? server.value : {}
  const codeAddress = email && mailedCodes ? { email } : phone ? { phone } : null
  const passkeys = server.ok && server.value.passkeys ? await passkeyList.load() : null
  const methods: ReauthenticationMethod[] = [
    ...(codeAddress ? ['code' as const] : []),
    ...(email && passwords ? ['password' as const] : []),
    ...(passkeys?.ok && passkeys.value.length > 0 ? ['passkey' as const] : []),
  ]
  const isFirst = (method: ReauthenticationMethod) => used.some((one) => one.method === method)
  return success({
    factors: [],
    hasOnlyNewFactors: false,
    methods: methods.toSorted((one, other) => Number(isFirst(other)) - Number(isFirst(one))),
    email,
    codeAddress,
  })
}

/** The ways in which the user of this session can authenticate again. */
export const reauthenticationMethods = createQuery({ fetch: fetchMethods })

export async function reauthenticateByPassword(email: string, password: string): Promise<Outcome> {
  const body = { email: toStoredAddress(email), password }
  const signedIn = await requestAuth<NewSession>('token?grant_type=password', { method: 'POST', body })
  const isWrong = !signedIn.ok && signedIn.failure.name === 'invalid_credentials'
  return isWrong
    ? { ok: false, failure: createFailure('current_password_invalid') }
    : replaceSession(signedIn)
}

/** Sends a code for `reauthenticateByCode`. */
export function sendCode(to: CodeAddress): Promise<Outcome> {
  return 'email' in to ? requestSignInLink(to.email) : requestPhoneCode(to.phone)
}

export async function reauthenticateByCode(to: CodeAddress, token: string): Promise<Outcome> {
  const body =
    'email' in to
      ? { type: 'email', email: toStoredAddress(to.email), token }
      : { type: 'sms', phone: to.phone, token }
  return replaceSession(await requestAuth<NewSession>('verify', { method: 'POST', body }))
}

export async function reauthenticateByPasskey(): Promise<Outcome> {
  return replaceSession(await requestPasskeySession())
}

/** Makes a new session of the account the session of this browser, and ends the one before with its registration for push messages. */
async function replaceSession(signedIn: Outcome<NewSession>): Promise<Outcome> {
  if (!signedIn.ok) return signedIn
  const { data } = await (await getClient()).auth.getSession()
  const before = data.session
  if (!before || before.user.id !== signedIn.value.user.id) {
    await endSession(signedIn.value)
    return { ok: false, failure: createFailure('other_account') }
  }
  const adopted = await adoptSession(signedIn.value)
  if (!adopted.ok) return adopted
  void endAfterPush(before).catch(reportException)
  return refetchAccountAfter(adopted)
}

/** Ends a session once this browser receives push messages by the new one: they end with their session. */
async function endAfterPush(session: { access_token: string }): Promise<void> {
  const { renewRegistration } = await import('../push/watchPush.ts')
  await renewRegistration().catch(() => {})
  await endSession(session)
}
