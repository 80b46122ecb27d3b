import type { IncomingMessage } from 'node:http'
import { Hono, type Context } from 'hono'
import { isFromHere } from '../../../client/isFromHere.ts'
import { isSameToken } from '../../../client/isSameToken.ts'
import type { Mailbox } from './mailbox.ts'
import { renderMailboxPage } from './mailboxPage.ts'

interface NodeBindings {
  incoming?: IncomingMessage
}

/** The same words for a wrong token, a wrong place and no mailbox at all. */
function closed(c: Context): Response {
  return c.text('Not found', 404)
}

/** `/<token>` is a page, `/<token>/messages` its JSON; anything else, from anywhere else, is not found. */
export function createMailboxApp(mailbox: Mailbox | null): Hono {
  const app = new Hono()
  const opens = (c: Context): boolean => {
    const { incoming } = c.env as NodeBindings
    if (mailbox === null || !isSameToken(c.req.param('token') ?? '', mailbox.token)) return false
    return incoming !== undefined && isFromHere(incoming)
  }
  app.use(async (c, next) => {
    await next()
    c.header('Cache-Control', 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Referrer-Policy', 'no-referrer')
    // A page of another origin that learnt the token must still not read it.
    c.header('Cross-Origin-Resource-Policy', 'same-origin')
  })
  app.get('/:token', (c) => {
    if (!opens(c)) return closed(c)
    c.header(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    )
    return c.html(renderMailboxPage(mailbox!.messages()))
  })
  app.get('/:token/messages', (c) => (opens(c) ? c.json(mailbox!.messages()) : closed(c)))
  app.all('*', closed)
  return app
}
