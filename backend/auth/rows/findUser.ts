import type { Transaction } from '../Transaction.ts'
import type pg from 'pg'
import type { UserRow } from './user.ts'

/** What can run a query: the pool, or a transaction. */
export interface Queryable {
  query(query: string | pg.QueryConfig, values?: unknown[]): Promise<pg.QueryResult>
}

/**
 * The column `user` for a row `u` of auth.users, with its identities and factors. JSON is independent of how a
 * client parses timestamps, and needs one round trip.
 */
export const userJson = `
  to_jsonb(u) || jsonb_build_object(
    'identities', coalesce((
      select jsonb_agg(to_jsonb(i) order by i.created_at, i.id)
      from auth.identities i where i.user_id = u.id), '[]'),
    'factors', coalesce((
      select jsonb_agg(jsonb_build_object('id', f.id, 'friendly_name', f.friendly_name,
        'factor_type', f.factor_type, 'status', f.status,
        'phone', coalesce(f.phone, ''), 'created_at', f.created_at, 'updated_at', f.updated_at,
        'last_challenged_at', f.last_challenged_at, 'web_authn_aaguid', f.web_authn_aaguid) order by f.created_at)
      from auth.mfa_factors f where f.user_id = u.id), '[]')
  ) as "user"`

const selectUser = (name: string, where: string, values: unknown[]): pg.QueryConfig => ({
  name: `auth_user_${name}`,
  text: `select ${userJson} from auth.users u where ${where} limit 1`,
  values,
})

/** The user in the result of a statement that selects `userJson`. */
export function readUser({ rows }: pg.QueryResult): UserRow | null {
  return (rows[0]?.user as UserRow | undefined) ?? null
}

async function findOne(
  db: Queryable,
  name: string,
  where: string,
  values: unknown[],
): Promise<UserRow | null> {
  return readUser(await db.query(selectUser(name, where, values)))
}

/** The query by id, for a pipeline with others. */
export function userByIdQuery(id: string): pg.QueryConfig {
  return selectUser('by_id', 'u.id = $1', [id])
}

export async function findUserById(db: Queryable, id: string): Promise<UserRow | null> {
  return readUser(await db.query(userByIdQuery(id)))
}

/** By email address, in any case; users of SSO providers are separate, and may have the same address. */
export function findUserByEmail(db: Queryable, email: string): Promise<UserRow | null> {
  return findOne(
    db,
    'by_email',
    `u.id = (select id from auth.users where email = $1 and is_sso_user = false
       union all
       select id from auth.users where instance_id = '00000000-0000-0000-0000-000000000000'
         and lower(email) = $1 and is_sso_user = false
       limit 1)`,
    [email.toLowerCase()],
  )
}

/** By phone number, in the format of validatePhone. */
export function findUserByPhone(db: Queryable, phone: string): Promise<UserRow | null> {
  return findOne(db, 'by_phone', 'u.phone = $1 and u.is_sso_user = false', [phone])
}

/** The user who requested a change to this number; of several, the most recent. */
export function findUserByPhoneChange(db: Queryable, phone: string): Promise<UserRow | null> {
  return findOne(
    db,
    'by_phone_change',
    `u.id = (select id from auth.users where phone_change = $1 and is_sso_user = false
       order by phone_change_sent_at desc nulls last limit 1)`,
    [phone],
  )
}

/**
 * Locks the row until the transaction ends, then reads it: of two requests that verify the same code, or change
 * the same account, the second waits and reads what the first one stored.
 */
export async function lockUser(tx: Transaction, id: string): Promise<UserRow | null> {
  await tx.query({
    name: 'auth_user_lock',
    text: 'select 1 from auth.users where id = $1 for no key update',
    values: [id],
  })
  return findUserById(tx, id)
}

/**
 * Another user (not `except`) who has this email address, as their own or by an identity. Two users must not
 * share one: a link to it would sign in to either. An address that a provider returned without verifying it
 * does not count: on hosted Supabase it does, so anyone can prevent the sign-up of someone else.
 */
export async function findOwnerOfEmail(
  db: Queryable,
  email: string,
  except: string | null = null,
): Promise<UserRow | null> {
  const { rows } = await db.query({
    name: 'auth_address_taken',
    text: `select user_id from auth.identities
           where email = $1 and provider not like 'sso:%' and user_id is distinct from $2::uuid
             and (provider = 'email' or identity_data -> 'email_verified' = 'true')
           limit 1`,
    values: [email.toLowerCase(), except],
  })
  if (rows[0]) return findUserById(db, rows[0].user_id as string)
  const user = await findUserByEmail(db, email)
  return user && user.id !== except ? user : null
}

/** A page of users of an audience, and the total count. */
export async function listUsers(
  db: Queryable,
  o: { aud: string; page: number; perPage: number; ascending: boolean; filter: string },
): Promise<{ users: UserRow[]; total: number }> {
  const where = `u.aud = $2 and ($1 = ''
    or u.email like '%' || $1 || '%' or u.raw_user_meta_data ->> 'full_name' ilike '%' || $1 || '%')`
  const direction = o.ascending ? 'asc' : 'desc'
  const { rows } = await db.query(
    `select ${userJson} from auth.users u where ${where}
     order by u.created_at ${direction}, u.id ${direction} limit $3 offset $4`,
    [o.filter, o.aud, o.perPage, (o.page - 1) * o.perPage],
  )
  const counted = await db.query(`select count(*)::int as total from auth.users u where ${where}`, [
    o.filter,
    o.aud,
  ])
  return { users: rows.map((row) => row.user as UserRow), total: counted.rows[0].total as number }
}
