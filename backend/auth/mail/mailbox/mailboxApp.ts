import type { IncomingMessage } from 'node:http'
import { Hono, type Context } from 'hono'
import { isLocalRequest } from '../../../runtime/clientAddress/isLocalRequest.ts'
import { isSameToken } from '../../../runtime/isSameToken.ts'
import type { Mailbox, MailboxMessage } from './mailbox.ts'
import { renderMailboxPage, renderMailPage } from './mailboxPage.ts'

interface NodeBindings {
  incoming?: IncomingMessage
}

/** The same response to a wrong token, a remote client and a disabled mailbox. */
function notFound(c: Context): Response {
  return c.text('Not found', 404)
}

/**
 * `/<token>` is a page, `/<token>/messages` its JSON, `/<token>/<id>` one mail, `/<token>/<id>/html` its HTML;
 * everything else, and each request from another machine, is 404.
 */
export function createMailboxApp(mailbox: Mailbox | null): Hono {
  const app = new Hono()
  const isAuthorized = (c: Context): boolean => {
    const { incoming } = c.env as NodeBindings
    if (mailbox === null || !isSameToken(c.req.param('token') ?? '', mailbox.token)) return false
    return incoming !== undefined && isLocalRequest(incoming)
  }
  app.use(async (c, next) => {
    await next()
    c.header('Cache-Control', 'no-store')
    c.header('X-Content-Type-Options', 'nosniff')
    c.header('Referrer-Policy', 'no-referrer')
    // A page of another origin must not read it, even with the token.
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
    isAuthorized(c) ? mailbox!.messages().find(({ id }) => id === c.req.param('id')) : undefined
  app.get('/:token', (c) => {
    if (!isAuthorized(c)) return notFound(c)
    return page(c, renderMailboxPage(path(c), mailbox!.messages()))
  })
  app.get('/:token/messages', (c) => (isAuthorized(c) ? c.json(mailbox!.messages()) : notFound(c)))
  app.get('/:token/:id', (c) => {
    const message = find(c)
    return message ? page(c, renderMailPage(path(c), message)) : notFound(c)
  })
  app.get('/:token/:id/html', (c) => {
    const message = find(c)
    if (!message) return notFound(c)
    // Users write parts of it: nothing in it may run, load, submit or navigate.
    c.header(
      'Content-Security-Policy',
      "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'",
    )
    return c.html(message.html)
  })
  app.all('*', notFound)
  return app
}
