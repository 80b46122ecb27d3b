import { success, withoutValue, type Outcome } from '../failures/failures.ts'
import { requestAuth } from '../client/requestAuth.ts'
import { createQuery, refetchAfter } from '../queries/createQuery.ts'
import { ownSessions } from './ownSessions.ts'

export type FactorType = 'totp' | 'phone' | 'webauthn'

/** A second factor. */
export interface Factor {
  id: string
  factor_type: FactorType
  status: 'verified' | 'unverified'
  friendly_name?: string
  phone?: string
  created_at: string
}

/** A sign-in method of the account: its email address, or an account at a provider. */
export interface Identity {
  identity_id: string
  provider: string
  identity_data?: Record<string, unknown>
}

/** The user's account in the auth service. */
export interface OwnAccount {
  email: string
  phone: string
  /** The requested new address, until both addresses have confirmed it. */
  new_email?: string
  email_change_sent_at?: string
  factors: Factor[]
  identities: Identity[]
  /** What the user's browsers store with the account. */
  user_metadata: AccountMetadata
}

interface AccountMetadata {
  /** The user hid the first steps of an owner. */
  first_steps?: 'hidden'
  /** A test mail of this server reached the user. */
  test_mail?: 'arrived'
}

/** Fetches the user's account. */
export async function fetchAccount(): Promise<Outcome<OwnAccount>> {
  const response = await requestAuth<Partial<OwnAccount>>('user')
  if (!response.ok) return response
  return success({ email: '', phone: '', factors: [], identities: [], user_metadata: {}, ...response.value })
}

/** The user's account, as `fetchAccount` returns it. */
export const ownAccount = createQuery({ fetch: fetchAccount })

/** Adds metadata to the account, which the user's other browsers fetch too. */
export async function storeAccountMetadata(data: AccountMetadata): Promise<Outcome> {
  const response = await requestAuth('user', { method: 'PUT', body: { data } })
  return withoutValue(refetchAfter(response, ownAccount))
}

/** Fetches the account and its sessions again: a changed address, password or factor can also end sessions. */
export function refetchAccountAfter<T>(outcome: Outcome<T>): Outcome<T> {
  return refetchAfter(outcome, ownAccount, ownSessions)
}

const FACTOR_TYPES: readonly FactorType[] = ['totp', 'webauthn', 'phone']

/** The active second factors. Authenticator apps come first, since most people have them at hand. */
export function verifiedFactors(account: Pick<OwnAccount, 'factors'>): Factor[] {
  const order = (factor: Factor) => FACTOR_TYPES.indexOf(factor.factor_type)
  return account.factors
    .filter(({ status }) => status === 'verified')
    .toSorted((one, other) => order(one) - order(other))
}
