import { isVisible } from '../../../wire/texts.ts'

export interface Ports {
  /** Rejects with a message that ends with `sign_in_code_expired` where the code is unknown, expired or used. */
  claim(code: string, device: string): Promise<{ claim: string; number: number }>
  /** The address of the account; null while nobody has approved the device. Rejects like `claim`. */
  take(claim: string): Promise<string | null>
  /** The hash of a one-time token that signs in to the account of an address. */
  createToken(email: string): Promise<string>
}

const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' }
/** Tokens are 43 characters, user agents are cut. */
const MAX_BYTES = 4000

/**
 * POST `{code, device}` claims the code of a signed-in device: `{claim, number}`. POST `{claim}` is `{token_hash: null}`
 * until the device was approved, then once the hash to verify with. 404 `sign_in_code_expired` otherwise.
 */
export async function respond(request: Request, ports: Ports): Promise<Response> {
  const json = (body: unknown, status = 200): Response => Response.json(body, { status, headers: cors })
  if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: cors })
  if (request.method !== 'POST') return json({ error: 'not_allowed' }, 405)
  const body = await readBody(request)
  if (body === null) return json({ error: 'bad_request' }, 400)
  try {
    if (typeof body.code === 'string') {
      return json(await ports.claim(body.code, deviceName(body.device)))
    }
    if (typeof body.claim !== 'string') return json({ error: 'bad_request' }, 400)
    const email = await ports.take(body.claim)
    return json({ token_hash: email === null ? null : await ports.createToken(email) })
  } catch (error) {
    const message = error instanceof Error ? error.message : ''
    if (message.endsWith('sign_in_code_expired')) return json({ error: 'sign_in_code_expired' }, 404)
    console.error('A device was not signed in.', message)
    return json({ error: 'unfinished' }, 500)
  }
}

/** A device as its reader can recognise it, which the database checks; empty if nothing can be seen. */
function deviceName(value: unknown): string {
  const name = typeof value === 'string' ? value.replaceAll(/[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu, '') : ''
  return isVisible(name) ? name : ''
}

async function readBody(request: Request): Promise<Record<string, unknown> | null> {
  if (Number(request.headers.get('content-length') ?? MAX_BYTES + 1) > MAX_BYTES) return null
  try {
    const body: unknown = await request.json()
    return body !== null && typeof body === 'object' ? (body as Record<string, unknown>) : null
  } catch {
    return null
  }
}
