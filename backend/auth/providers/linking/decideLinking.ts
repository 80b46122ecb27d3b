import type { ProviderEmail } from '../Provider.ts'
import type { Candidates } from './findCandidates.ts'

/** What becomes of someone who comes from a provider. */
type Decision =
  /** The identity is known: its account. */
  | { kind: 'exists'; userId: string }
  /** One account has an address that the provider vouches for: the identity joins it. */
  | { kind: 'link'; userId: string }
  /** A new account, with this address; empty for none. */
  | { kind: 'create'; email: string }
  /** Several accounts have addresses of this person. */
  | { kind: 'several' }

/** Addresses that the provider says are proved, in lower case. */
export function provedAddresses(emails: ProviderEmail[]): string[] {
  return emails.filter((one) => one.verified && one.email !== '').map((one) => one.email.toLowerCase())
}

/**
 * Decides, as upstream does but in one thing: accounts join by addresses that the provider vouches for alone.
 * Upstream takes any address for proved where confirmations are off, so that a name in a stranger's profile there
 * would open an account here.
 * @param o.taken whether somebody has the primary address already
 */
export function decideLinking(o: {
  emails: ProviderEmail[]
  candidates: Candidates
  taken: boolean
}): Decision {
  const { known, byIdentity, byAddress } = o.candidates
  if (known !== null) return { kind: 'exists', userId: known }
  const found = byIdentity.length > 0 ? byIdentity : byAddress
  if (found.length > 1) {
    // Their own address says more than that of an identity.
    const agreed = byAddress.length === 1 && found.includes(byAddress[0]!) ? byAddress[0]! : null
    return agreed === null ? { kind: 'several' } : { kind: 'link', userId: agreed }
  }
  if (found[0] !== undefined) return { kind: 'link', userId: found[0] }
  const primary = o.emails.find((one) => one.primary)?.email.toLowerCase() ?? ''
  // Proved, it is theirs, and no account has it: what a stranger wrote into a profile keeps nobody from it.
  const free = provedAddresses(o.emails).includes(primary) || !o.taken
  return { kind: 'create', email: free ? primary : '' }
}
