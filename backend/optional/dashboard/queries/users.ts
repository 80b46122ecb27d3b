import type { DatabaseReader } from '../readDatabase.ts'
import { isUuid } from '../../../runtime/isUuid.ts'

export interface User {
  id: string
  email: string | null
  phone: string | null
  name: string | null
  providers: string | null
  createdAt: Date | null
  lastSignInAt: Date | null
  confirmed: boolean
  banned: boolean
  anonymous: boolean
  deleted: boolean
  /** Whether signing in requires a second factor. */
  guarded: boolean
}

export interface UserDetails extends User {
  appMetadata: string
  userMetadata: string
  identities: { provider: string; email: string | null; lastSignInAt: Date | null }[]
  sessions: {
    createdAt: Date | null
    refreshedAt: Date | null
    userAgent: string | null
    ip: string | null
  }[]
  factors: { kind: string; name: string | null; status: string }[]
}

export const usersPerPage = 50

const columns = `
  id::text, nullif(email, '') as email, nullif(phone, '') as phone,
  left(coalesce(raw_user_meta_data ->> 'full_name', raw_user_meta_data ->> 'name',
    raw_user_meta_data ->> 'display_name'), 200) as name,
  left(coalesce(raw_app_meta_data ->> 'providers', raw_app_meta_data ->> 'provider'), 200) as providers,
  created_at as "createdAt", last_sign_in_at as "lastSignInAt",
  confirmed_at is not null as confirmed, coalesce(banned_until > now(), false) as banned,
  is_anonymous as anonymous, deleted_at is not null as deleted,
  exists (select from auth.mfa_factors f where f.user_id = users.id and f.status = 'verified') as guarded`

/**
 * Users, newest first, filtered by `search` in email address, phone number or name, or equal to the id.
 * `hasMore` is true if there is another page. Throws ReadError.
 */
export async function readUsers(
  database: DatabaseReader,
  { search, page }: { search: string; page: number },
): Promise<{ users: User[]; hasMore: boolean }> {
  const isId = isUuid(search)
  const pattern = `%${search.replaceAll(/[\\%_]/g, String.raw`\$&`)}%`
  const users = await database.read<User & Record<string, unknown>>(
    `select ${columns} from auth.users
     where ${
       isId
         ? 'id = $1::uuid'
         : `$1 = '%%' or email ilike $1 or phone like $1 or raw_user_meta_data ->> 'full_name' ilike $1
              or raw_user_meta_data ->> 'name' ilike $1 or raw_user_meta_data ->> 'display_name' ilike $1`
     }
     order by created_at desc nulls last, id limit ${usersPerPage + 1} offset $2`,
    [isId ? search : pattern, (page - 1) * usersPerPage],
  )
  return { users: users.slice(0, usersPerPage), hasMore: users.length > usersPerPage }
}

/** One user without credentials; null if there is none. Throws ReadError. */
export async function readUser(database: DatabaseReader, id: string): Promise<UserDetails | null> {
  if (!isUuid(id)) return null
  const [[user], identities, sessions, factors] = await Promise.all([
    database.read<User & { appMetadata: string; userMetadata: string }>(
      `select ${columns}, left(jsonb_pretty(raw_app_meta_data), 20000) as "appMetadata",
         left(jsonb_pretty(raw_user_meta_data), 20000) as "userMetadata"
       from auth.users where id = $1`,
      [id],
    ),
    database.read<UserDetails['identities'][number]>(
      `select provider, email, last_sign_in_at as "lastSignInAt" from auth.identities where user_id = $1
       order by created_at limit 50`,
      [id],
    ),
    database.read<UserDetails['sessions'][number]>(
      `select created_at as "createdAt", refreshed_at at time zone 'utc' as "refreshedAt",
         left(user_agent, 300) as "userAgent", host(ip) as ip
       from auth.sessions where user_id = $1 order by created_at desc limit 50`,
      [id],
    ),
    database.read<UserDetails['factors'][number]>(
      `select factor_type::text as kind, friendly_name as name, status::text as status
       from auth.mfa_factors where user_id = $1 order by created_at limit 50`,
      [id],
    ),
  ])
  return user ? { ...user, identities, sessions, factors } : null
}
