import { success, type Outcome } from '../failures/failures.ts'
import { requestAuth } from '../client/requestAuth.ts'

export type FactorType = 'totp' | 'phone' | 'webauthn'

/** A second step of signing in. */
export interface Factor {
  id: string
  factor_type: FactorType
  status: 'verified' | 'unverified'
  friendly_name?: string
  phone?: string
  created_at: string
}

/** A way of signing in that belongs to the account: an address, or an account elsewhere. */
export interface Identity {
  identity_id: string
  provider: string
  identity_data?: Record<string, unknown>
}

/** One's account as the auth service has it. */
export interface OwnAccount {
  email: string
  phone: string
  /** Asked for, and confirmed not by all who have to. */
  new_email?: string
  email_change_sent_at?: string
  factors: Factor[]
  identities: Identity[]
}

/** Fetches the user's account. */
export async function fetchAccount(): Promise<Outcome<OwnAccount>> {
  const response = await requestAuth<Partial<OwnAccount>>('user')
  if (!response.ok) return response
  return success({ email: '', phone: '', factors: [], identities: [], ...response.value })
}

/** The second steps that count. */
export function verifiedFactors(account: Pick<OwnAccount, 'factors'>): Factor[] {
  return account.factors.filter(({ status }) => status === 'verified')
}
