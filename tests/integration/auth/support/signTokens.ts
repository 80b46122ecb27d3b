import { createHmac } from 'node:crypto'
import { claimsOf, tokenOf, type TestUser } from './testUser.ts'
import type { AuthServer } from './startAuth.ts'

/** An HS256 token, as anyone who has the secret can create it. */
export function signHs256(secret: string, claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** A valid token of this server for a minute, with `claims`. */
export function signAccessToken(server: AuthServer, claims: object): string {
  const exp = Math.floor(Date.now() / 1000) + 60
  return signHs256(server.keys.jwtSecret, { role: 'authenticated', aud: 'authenticated', exp, ...claims })
}

/**
 * The user's access token for a server that did not sign them in: sessions are in the database, secrets per
 * server.
 */
export async function bearerAt(server: AuthServer, person: TestUser): Promise<string> {
  return signAccessToken(server, claimsOf(await tokenOf(person)))
}
