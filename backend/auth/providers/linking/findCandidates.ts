import type pg from 'pg'

/** Whom someone with these proved addresses could be. */
export interface Candidates {
  /** The account that the provider's identity belongs to already. */
  known: string | null
  /** Accounts of which an identity was proved to have such an address. */
  byIdentity: string[]
  /** Accounts whose own address is one of these. */
  byAddress: string[]
}

/**
 * Looks for accounts by identity and by addresses. Only identities whose provider vouched for the address count:
 * else whoever writes a stranger's address into a profile somewhere would have the stranger's next sign-in end in an
 * account of theirs. Upstream counts all of them.
 * @param o.addresses proved ones, in lower case
 */
export async function findCandidates(
  client: pg.Client,
  o: { provider: string; sub: string; addresses: string[] },
): Promise<Candidates> {
  const { rows } = await client.query<{ known: string | null; by_identity: string[]; by_address: string[] }>({
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
  return { known, byIdentity, byAddress }
}
