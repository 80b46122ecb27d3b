import { createHmac } from 'node:crypto'
import { claimsOf, tokenOf, type Person } from './person.ts'
import type { AuthServer } from './startAuth.ts'

/** A token signed with a secret, as anyone who has it can make one. */
export function hs256(secret: string, claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`
}

/** A good token of this server for a minute, saying what `claims` do. */
export function signedToken(server: AuthServer, claims: object): string {
  const exp = Math.floor(Date.now() / 1000) + 60
  return hs256(server.keys.jwtSecret, { role: 'authenticated', aud: 'authenticated', exp, ...claims })
}

/** This person's bearer at a server that did not sign them in: sessions are the database's, secrets each server's. */
export async function bearerAt(server: AuthServer, person: Person): Promise<string> {
  return signedToken(server, claimsOf(await tokenOf(person)))
}
