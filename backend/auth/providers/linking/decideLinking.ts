import type { ProviderEmail } from '../Provider.ts'
import type { Candidates } from './findCandidates.ts'

/** How a provider sign-in maps to an account. */
type Decision =
  /** The identity exists: its account. */
  | { kind: 'exists'; userId: string }
  /** One account has a verified address of the provider's user: the identity is linked to it. */
  | { kind: 'link'; userId: string }
  /** A new account with this address; empty for none. */
  | { kind: 'create'; email: string }
  /** Several accounts have addresses of this user. */
  | { kind: 'ambiguous' }

/** Addresses that the provider has verified, in lower case. */
export function verifiedAddresses(emails: ProviderEmail[]): string[] {
  return emails.filter((one) => one.verified && one.email !== '').map((one) => one.email.toLowerCase())
}

/**
 * Decides as GoTrue does, with one exception: accounts are only linked by addresses that the provider has
 * verified. GoTrue treats every address as verified if confirmations are disabled, so a made-up address in a
 * provider's profile would open an account here.
 * @param o.isTaken whether a user already has the primary address
 */
export function decideLinking(o: {
  emails: ProviderEmail[]
  candidates: Candidates
  isTaken: boolean
}): Decision {
  const { identityOwner, byIdentity, byAddress } = o.candidates
  if (identityOwner !== null) return { kind: 'exists', userId: identityOwner }
  const found = byIdentity.length > 0 ? byIdentity : byAddress
  if (found.length > 1) {
    // The account's own address takes precedence over that of an identity.
    const common = byAddress.length === 1 && found.includes(byAddress[0]!) ? byAddress[0]! : null
    return common === null ? { kind: 'ambiguous' } : { kind: 'link', userId: common }
  }
  if (found[0] !== undefined) return { kind: 'link', userId: found[0] }
  const primary = o.emails.find((one) => one.primary)?.email.toLowerCase() ?? ''
  // A verified address is the user's own, and no account has it: an unverified one in the profile of another user
  // does not prevent that.
  const isAvailable = verifiedAddresses(o.emails).includes(primary) || !o.isTaken
  return { kind: 'create', email: isAvailable ? primary : '' }
}
