/** A timestamp in PostgreSQL's JSON (ISO 8601 with an offset). */
type Timestamp = string | null

/** One row of auth.identities, as JSON. */
export interface IdentityRow {
  id: string
  provider_id: string
  user_id: string
  identity_data: Record<string, unknown>
  provider: string
  last_sign_in_at: Timestamp
  created_at: Timestamp
  updated_at: Timestamp
  email: string | null
}

/** One row of auth.mfa_factors, as JSON; secrets are never selected. */
export interface FactorRow {
  id: string
  friendly_name: string | null
  factor_type: string
  status: 'verified' | 'unverified'
  phone: string
  created_at: string
  updated_at: string
  last_challenged_at: Timestamp
  web_authn_aaguid: string | null
}

/** One row of auth.users as JSON, with identities and factors. */
export interface UserRow {
  id: string
  aud: string | null
  role: string | null
  email: string | null
  encrypted_password: string | null
  email_confirmed_at: Timestamp
  invited_at: Timestamp
  confirmation_token: string | null
  confirmation_sent_at: Timestamp
  recovery_token: string | null
  recovery_sent_at: Timestamp
  email_change_token_new: string | null
  email_change_token_current: string | null
  email_change: string | null
  email_change_sent_at: Timestamp
  email_change_confirm_status: number | null
  last_sign_in_at: Timestamp
  raw_app_meta_data: Record<string, unknown> | null
  raw_user_meta_data: Record<string, unknown> | null
  created_at: Timestamp
  updated_at: Timestamp
  phone: string | null
  phone_confirmed_at: Timestamp
  phone_change: string | null
  phone_change_token: string | null
  phone_change_sent_at: Timestamp
  confirmed_at: Timestamp
  banned_until: Timestamp
  reauthentication_token: string | null
  reauthentication_sent_at: Timestamp
  is_sso_user: boolean
  deleted_at: Timestamp
  is_anonymous: boolean
  identities: IdentityRow[]
  factors: FactorRow[]
}

/**
 * Converts a timestamp to a Date. PostgreSQL's "infinity", used for permanent bans, becomes the end of the year 9999.
 */
export function toDate(timestamp: string): Date {
  if (timestamp === 'infinity') return new Date(Date.UTC(9999, 11, 31, 23, 59, 59))
  return timestamp === '-infinity' ? new Date(0) : new Date(timestamp)
}

/** Whether the user is banned now. */
export function isBanned(user: UserRow): boolean {
  return user.banned_until !== null && toDate(user.banned_until).getTime() > Date.now()
}

/** Whether the user has a verified second factor. */
export function hasSecondFactor(user: UserRow): boolean {
  return user.factors.some((factor) => factor.status === 'verified')
}

/** Renders a user for responses, without empty values and secrets. */
export function renderUser(user: UserRow): Record<string, unknown> {
  return omitEmpty({
    id: user.id,
    aud: user.aud ?? '',
    role: user.role ?? '',
    email: user.email ?? '',
    email_confirmed_at: user.email_confirmed_at,
    invited_at: user.invited_at,
    phone: user.phone ?? '',
    phone_confirmed_at: user.phone_confirmed_at,
    confirmation_sent_at: user.confirmation_sent_at,
    confirmed_at: user.confirmed_at,
    recovery_sent_at: user.recovery_sent_at,
    new_email: user.email_change || null,
    email_change_sent_at: user.email_change_sent_at,
    new_phone: user.phone_change || null,
    phone_change_sent_at: user.phone_change_sent_at,
    reauthentication_sent_at: user.reauthentication_sent_at,
    last_sign_in_at: user.last_sign_in_at,
    app_metadata: user.raw_app_meta_data ?? {},
    user_metadata: user.raw_user_meta_data ?? {},
    factors: user.factors.length > 0 ? user.factors.map(renderFactor) : null,
    identities: user.identities.map(renderIdentity),
    created_at: user.created_at,
    updated_at: user.updated_at,
    banned_until: user.banned_until,
    deleted_at: user.deleted_at,
    is_anonymous: user.is_anonymous,
  })
}

function renderIdentity(identity: IdentityRow): Record<string, unknown> {
  return omitEmpty({
    identity_id: identity.id,
    id: identity.provider_id,
    user_id: identity.user_id,
    identity_data: identity.identity_data,
    provider: identity.provider,
    last_sign_in_at: identity.last_sign_in_at,
    created_at: identity.created_at,
    updated_at: identity.updated_at,
    email: identity.email,
  })
}

/** Renders a factor for its owner and for administrators. */
export function renderFactor(factor: FactorRow): Record<string, unknown> {
  const { friendly_name: name, last_challenged_at: last, ...more } = factor
  return {
    ...omitEmpty({ ...more, friendly_name: name || null }),
    last_challenged_at: last && toDate(last),
  }
}

/** Removes nulls, and converts timestamps to UTC ("…Z") as GoTrue does. */
function omitEmpty(value: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  for (const [key, one] of Object.entries(value)) {
    if (one === null || one === undefined) continue
    const isTimestamp = key.endsWith('_at') || key.endsWith('_until')
    result[key] = isTimestamp ? toDate(one as string).toISOString() : one
  }
  return result
}
