import { fromBase64url } from '../client/base64url.ts'

/** A method by which a session has authenticated, with the time in seconds since 1970. */
export interface Authentication {
  method: string
  timestamp: number
}

/** The claim `amr` of a token; undefined if it has none. The token is not verified here. */
export function authenticationsOf(token: string): Authentication[] | undefined {
  const payload = new TextDecoder().decode(fromBase64url(token.split('.')[1] ?? ''))
  return (JSON.parse(payload) as { amr?: Authentication[] }).amr
}
