import { toDate, type UserRow } from '../rows/user.ts'

/** The first non-empty text of these keys in the user's metadata. */
function textOf(user: UserRow, keys: string[]): string | null {
  for (const key of keys) {
    const value = user.raw_user_meta_data?.[key]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

/** The claims of the scope `profile` (OpenID Connect Core §5.1); unknown ones are left out. */
export function describeProfile(user: UserRow): Record<string, unknown> {
  const facts = {
    name: textOf(user, ['name']) ?? (user.email || null),
    picture: textOf(user, ['picture', 'avatar_url']),
    preferred_username: textOf(user, ['preferred_username', 'username']),
    updated_at: user.updated_at === null ? null : Math.floor(toDate(user.updated_at).getTime() / 1000),
  }
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null))
}

/** The response of `GET /oauth/userinfo` for a session's scopes (OpenID Connect Core §5.3). */
export function describeUser(user: UserRow, scopes: string[]): Record<string, unknown> {
  const told: Record<string, unknown> = { sub: user.id }
  if (scopes.includes('email')) {
    if (user.email) told['email'] = user.email
    if (user.email_confirmed_at !== null) told['email_verified'] = true
  }
  if (scopes.includes('profile')) {
    Object.assign(told, describeProfile(user), { user_metadata: user.raw_user_meta_data ?? {} })
  }
  if (scopes.includes('phone')) {
    if (user.phone) told['phone'] = user.phone
    if (user.phone_confirmed_at !== null) told['phone_verified'] = true
  }
  return told
}
