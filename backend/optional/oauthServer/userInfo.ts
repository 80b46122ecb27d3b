import { toDate, type UserRow } from '../../auth/rows/user.ts'

/** The first non-empty text of these keys in the user's metadata. */
function firstMetadataText(user: UserRow, keys: string[]): string | null {
  for (const key of keys) {
    const value = user.raw_user_meta_data?.[key]
    if (typeof value === 'string' && value !== '') return value
  }
  return null
}

/** The claims of the scope `profile` (OpenID Connect Core §5.1); unknown ones are left out. */
export function profileClaims(user: UserRow): Record<string, unknown> {
  const claims = {
    name: firstMetadataText(user, ['name']) ?? (user.email || null),
    picture: firstMetadataText(user, ['picture', 'avatar_url']),
    preferred_username: firstMetadataText(user, ['preferred_username', 'username']),
    updated_at: user.updated_at === null ? null : Math.floor(toDate(user.updated_at).getTime() / 1000),
  }
  return Object.fromEntries(Object.entries(claims).filter(([, value]) => value !== null))
}

/** The response of `GET /oauth/userinfo` for a session's scopes (OpenID Connect Core §5.3). */
export function userInfo(user: UserRow, scopes: string[]): Record<string, unknown> {
  const claims: Record<string, unknown> = { sub: user.id }
  if (scopes.includes('email')) {
    if (user.email) claims['email'] = user.email
    if (user.email_confirmed_at !== null) claims['email_verified'] = true
  }
  if (scopes.includes('profile')) {
    Object.assign(claims, profileClaims(user), { user_metadata: user.raw_user_meta_data ?? {} })
  }
  if (scopes.includes('phone')) {
    if (user.phone) claims['phone'] = user.phone
    if (user.phone_confirmed_at !== null) claims['phone_verified'] = true
  }
  return claims
}
