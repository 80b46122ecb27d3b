import type { IncomingMessage } from 'node:http'
import type { VerifyToken } from '../../wire/claims.ts'
import { refusals, type Refusal } from './refusals.ts'

/** The keys of the house, by which a key without a token becomes one. */
export interface FunctionKeys {
  anonKey: string
  serviceRoleKey: string
  publishableKey: string
  secretKey: string
}

/**
 * `Authorization` as a function sees it: as sent, unless that is an `sb_` key; else the legacy token that the
 * `apikey` stands for, so that a call without a session passes as its key. Upstream's gateway does the same.
 */
export function authorizationOf({ headers }: IncomingMessage, keys: FunctionKeys): string | null {
  const { authorization } = headers
  if (authorization !== undefined && !authorization.startsWith('Bearer sb_')) return authorization
  const apikey = headers['apikey']
  if (typeof apikey !== 'string' || apikey === '') return null
  if (apikey === keys.publishableKey) return `Bearer ${keys.anonKey}`
  if (apikey === keys.secretKey) return `Bearer ${keys.serviceRoleKey}`
  // A legacy key is a token itself. Whatever else stands there is none of ours.
  return apikey === keys.anonKey || apikey === keys.serviceRoleKey ? `Bearer ${apikey}` : null
}

/** Whether a token that this house issued is shown: null, or what to answer. */
export async function checkToken(
  authorization: string | null,
  verifyToken: VerifyToken,
): Promise<Refusal | null> {
  if (authorization === null || authorization === '') return refusals.noToken
  const [scheme, token] = authorization.split(' ')
  if (scheme !== 'Bearer' || token === undefined) return refusals.noBearer
  const verified = await verifyToken(token)
  return verified.ok ? null : refusals.badToken
}
