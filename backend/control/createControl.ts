import type { IncomingMessage } from 'node:http'
import { Hono, type Context } from 'hono'
import { isLocalRequest } from '../runtime/clientAddress/isLocalRequest.ts'
import { isSameToken } from '../runtime/isSameToken.ts'
import { readRequestBody } from '../runtime/readRequestBody.ts'

/** Runs a request of a command. Resolves with the response. Rejects with a sentence if the request can't be fulfilled. */
export type ControlAction = (body: unknown) => Promise<object>

type Bindings = { incoming?: IncomingMessage }

const maxBodyBytes = 16_384

/**
 * Whether a program on this machine that can read the secrets sent the request. Pages in browsers can't: browsers send
 * `Sec-Fetch-Site` or `Origin`.
 */
function isAuthorized(incoming: IncomingMessage | undefined, token: string): boolean {
  if (incoming === undefined || !isLocalRequest(incoming)) return false
  const { authorization = '', origin } = incoming.headers
  if (origin !== undefined || incoming.headers['sec-fetch-site'] !== undefined) return false
  return isSameToken(authorization, `Bearer ${token}`)
}

/**
 * Creates the routes by which commands on this machine control the running server: `POST /<action>` with a JSON body. A
 * request without the token, and a request of another machine, gets 404.
 * @param o.token `dashboardToken` of the secrets
 */
export function createControl(o: { token: string; actions: Record<string, ControlAction> }): Hono {
  const app = new Hono<{ Bindings: Bindings }>()
  const notFound = (c: Context): Response => c.text('Not found', 404)
  const actions = new Map(Object.entries(o.actions))
  app.post('/:action', async (c) => {
    const action = actions.get(c.req.param('action'))
    if (!isAuthorized(c.env.incoming, o.token) || action === undefined) return notFound(c)
    try {
      const bytes = await readRequestBody(
        c.req.raw,
        c.req.header('content-length'),
        maxBodyBytes,
        () => new Error('The request is too large.'),
      )
      return c.json(await action(JSON.parse(bytes.toString() || 'null')))
    } catch (error) {
      return c.json({ message: (error as Error).message }, 409)
    } finally {
      // The gateway allows all origins to read the responses of services.
      c.header('Access-Control-Allow-Origin')
    }
  })
  app.all('*', notFound)
  return app as unknown as Hono
}
