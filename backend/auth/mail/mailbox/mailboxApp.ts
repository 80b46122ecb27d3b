import type { IncomingMessage } from 'node:http'
import { Hono, type Context } from 'hono'
import { isLocalRequest } from '../../../runtime/clientAddress/isLocalRequest.ts'
import { isSameToken } from '../../../runtime/clientAddress/isSameToken.ts'
import type { Mailbox, MailboxMessage } from './mailbox.ts'
import { renderMailboxPage, renderMailPage } from './mailboxPage.ts'

interface NodeBindings {
  incoming?: IncomingMessage
}

/** The same words for a wrong token, a wrong place and no mailbox at all. */
function closed(c: Context): Response {
  return c.text('Not found', 404)
}

/**
 * `/<token>` is a page, `/<token>/messages` its JSON, `/<token>/<id>` one mail, `/<token>/<id>/html` what it looks like;
 * anything else, from anywhere else, is not found.
 */
export function createMailboxApp(mailbox: Mailbox | null): Hono {
  const app = new Hono()
  const opens = (c: Context): boolean => {
    const { incoming } = c.env as NodeBindings
    if (mailbox === null || !isSameToken(c.req.param('token') ?? '', mailbox.token)) return false
    return incoming !== undefined && isLocalRequest(incoming)
  }
  app.use(async (c, next) => {
    await next()
    c.header('Cache-Control', 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Referrer-Policy', 'no-referrer')
    // A page of another origin that learnt the token must still not read it.
    c.header('Cross-Origin-Resource-Policy', 'same-origin')
  })
  const page = (c: Context, html: string): Response => {
    c.header(
      'Content-Security-Policy',
      "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
    )
    return c.html(html) as Response
  }
  const path = (c: Context): string => new URL(c.req.url).pathname.split('/').slice(0, 3).join('/')
  const find = (c: Context): MailboxMessage | undefined =>
    opens(c) ? mailbox!.messages().find(({ id }) => id === c.req.param('id')) : undefined
  app.get('/:token', (c) => {
    if (!opens(c)) return closed(c)
    return page(c, renderMailboxPage(path(c), mailbox!.messages()))
  })
  app.get('/:token/messages', (c) => (opens(c) ? c.json(mailbox!.messages()) : closed(c)))
  app.get('/:token/:id', (c) => {
    const message = find(c)
    return message ? page(c, renderMailPage(path(c), message)) : closed(c)
  })
  app.get('/:token/:id/html', (c) => {
    const message = find(c)
    if (!message) return closed(c)
    // People write parts of it: nothing in it runs, loads, sends or leads anywhere, whoever opens it.
    c.header(
      'Content-Security-Policy',
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
    )
    return c.html(message.html)
  })
  app.all('*', closed)
  return app
}
