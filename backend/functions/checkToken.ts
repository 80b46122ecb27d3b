import type { IncomingMessage } from 'node:http'
import type { VerifyToken } from '../../wire/claims.ts'
import { errorResponses, type ErrorResponse } from './errorResponses.ts'

/** The API keys of this server, and the legacy tokens that they correspond to. */
export interface FunctionKeys {
  anonKey: string
  serviceRoleKey: string
  publishableKey: string
  secretKey: string
}

/**
 * The `Authorization` header for a function: as sent, unless it is an `sb_` key; else the legacy token of the `apikey`,
 * so that a request without a session is authorized by its key. Supabase's gateway does the same.
 */
export function authorizationOf({ headers }: IncomingMessage, keys: FunctionKeys): string | null {
  const { authorization } = headers
  if (authorization !== undefined && !authorization.startsWith('Bearer sb_')) return authorization
  const apikey = headers['apikey']
  if (typeof apikey !== 'string' || apikey === '') return null
  if (apikey === keys.publishableKey) return `Bearer ${keys.anonKey}`
  if (apikey === keys.secretKey) return `Bearer ${keys.serviceRoleKey}`
  // A legacy key is a token itself. Any other value is not a key of this server.
  return apikey === keys.anonKey || apikey === keys.serviceRoleKey ? `Bearer ${apikey}` : null
}

/** Checks for a token that this server issued: null if it is valid, else the error response. */
export async function checkToken(
  authorization: string | null,
  verifyToken: VerifyToken,
): Promise<ErrorResponse | null> {
  if (authorization === null || authorization === '') return errorResponses.noToken
  const [scheme, token] = authorization.split(' ')
  if (scheme !== 'Bearer' || token === undefined) return errorResponses.noBearer
  const verified = await verifyToken(token)
  return verified.ok ? null : errorResponses.badToken
}
