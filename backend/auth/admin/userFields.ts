import { invalid } from '../http/AuthError.ts'
import { type Body, readBody } from '../http/readBody.ts'
import type { AuthRequest } from '../http/authenticate.ts'
import { validateEmail, validatePhone } from '../accounts/validateEmail.ts'
import { parseDuration } from '../settings/createSettingsReader.ts'

const fields = {
  id: 'string',
  aud: 'string',
  role: 'string',
  email: 'string',
  phone: 'string',
  password: 'string',
  password_hash: 'string',
  email_confirm: 'boolean',
  phone_confirm: 'boolean',
  user_metadata: 'object',
  app_metadata: 'object',
  ban_duration: 'string',
} as const

/** An administrator's values for an account; undefined where none is given. */
export type UserFields = Body<typeof fields>

/** Throws AuthError 400 bad_json, 413. */
export function readUserFields(c: AuthRequest): Promise<UserFields> {
  return readBody(c, fields)
}

/**
 * The email address and phone number in their stored format; empty where none is given. Throws AuthError 400.
 */
export function readContacts(body: UserFields): { email: string; phone: string } {
  return {
    email: body.email ? validateEmail(body.email) : '',
    phone: body.phone ? validatePhone(body.phone) : '',
  }
}

/** The end of a ban (null ends it now); undefined where none is given. Throws AuthError 400. */
export function readBan(body: UserFields): Date | null | undefined {
  if (!body.ban_duration) return undefined
  const duration = body.ban_duration === 'none' ? 0 : parseDuration(body.ban_duration)
  if (duration === null) {
    throw invalid('invalid format for ban duration')
  }
  // The latest date that PostgreSQL and JavaScript both support.
  return duration === 0 ? null : new Date(Math.min(Date.now() + duration, Date.UTC(9999, 0)))
}
