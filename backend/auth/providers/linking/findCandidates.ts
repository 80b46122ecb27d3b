import type { Transaction } from '../../Transaction.ts'

/** The accounts that a user with these verified addresses may own. */
export interface Candidates {
  /** The account that already has the identity. */
  identityOwner: string | null
  /** Accounts with an identity whose verified address is one of these. */
  byIdentity: string[]
  /** Accounts whose own address is one of these. */
  byAddress: string[]
}

/**
 * Finds accounts by identity and by addresses. Only identities with a verified address count: otherwise an
 * attacker could enter the victim's address in a profile, and the victim's next sign-in would end in the
 * attacker's account. GoTrue counts all identities.
 * @param o.addresses verified ones, in lower case
 */
export async function findCandidates(
  tx: Transaction,
  o: { provider: string; sub: string; addresses: string[] },
): Promise<Candidates> {
  const { rows } = await tx.query<{ known: string | null; by_identity: string[]; by_address: string[] }>({
    name: 'auth_link_candidates',
    text: `select
        (select user_id from auth.identities where provider = $1 and provider_id = $2) as known,
        array(select distinct i.user_id from auth.identities i join auth.users u on u.id = i.user_id
              where i.email = any ($3) and i.identity_data -> 'email_verified' = 'true'
                and i.provider not like 'sso:%' and not u.is_sso_user) as by_identity,
        array(select id from auth.users where email = any ($3) and not is_sso_user) as by_address`,
    values: [o.provider, o.sub, o.addresses],
  })
  const { known, by_identity: byIdentity, by_address: byAddress } = rows[0]!
  return { identityOwner: known, byIdentity, byAddress }
}
