import { escapeHtml, page, styles } from './renderMail.ts'
import type { ProblemKind } from '../../../wire/serverChecks.ts'
import { testMailTexts } from '../../../wire/testMailTexts.ts'
import {
  sendAccountMails,
  sendInvitations,
  sendMails,
  type ClaimedAccountMail,
  type ClaimedInvitation,
  type ClaimedMail,
  type InvitationPorts,
  type MailPorts,
  type MailQueue,
} from './sendMails.ts'
import { textsOf, type LocalTexts } from './texts.ts'

export interface Ports {
  /** Whether the database calls. */
  isTask(request: Request): Promise<boolean>
  /** Sends by the mail server; null: there is none. */
  send: MailPorts['send'] | null
  mails: MailQueue & { claim(max: number): Promise<ClaimedMail[]> }
  invitations: MailQueue & { claim(max: number): Promise<ClaimedInvitation[]> } & Pick<
      InvitationPorts,
      'createLinks'
    >
  /** The email address of an administrator of the server; null for any other caller. */
  findAdministrator(request: Request, workspace: string): Promise<string | null>
  /** Mails about used recovery codes. */
  accountMails: MailQueue & { claim(max: number): Promise<ClaimedAccountMail[]> }
  /** Has the database make another call if more is due. */
  requestNextCall(): Promise<void>
  reportNoMailServer(): Promise<void>
  /** Switches the mails off if confirmed. Rejects with `not_allowed` where the token is not one of a mail. */
  unsubscribe(token: string, isConfirmed: boolean): Promise<{ workspace: string | null; language: string }>
  /** The address of the application, without a trailing slash. */
  siteUrl: string
  /** The address of this function. */
  url: string
  /** Whether pages are displayed as HTML. Projects at supabase.co send those of GET requests as plain text. */
  servesHtml: boolean
}

// "*" does not include the header `authorization`.
const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*, authorization' }
/**
 * Of each kind in a call. One takes 20 ms of the two seconds of processor time that a call has, and several times as long on
 * a slow machine. A call that is ended for that leaves mails of which nobody knows whether they were sent.
 */
const maxMails = 8

/**
 * POST of the database sends what is due. With `token`, the address is one to unsubscribe (RFC 8058): GET shows a page
 * that requests a confirmation, POST unsubscribes. GET without a token returns whether there is a mail server.
 * POST with `test`, the id of a workspace, mails its caller, who administers the server.
 */
export async function respond(request: Request, ports: Ports): Promise<Response> {
  const json = (body: unknown, status = 200): Response => Response.json(body, { status, headers: cors })
  try {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: cors })
    const token = new URL(request.url).searchParams.get('token')
    if (token !== null && (request.method === 'GET' || request.method === 'POST')) {
      return await respondToToken(token, request, ports)
    }
    if (request.method === 'GET') return json({ available: ports.send !== null })
    if (request.method !== 'POST') return json({ error: 'not_allowed' }, 405)
    const workspace = new URL(request.url).searchParams.get('test')
    if (workspace !== null) {
      const recipient = await ports.findAdministrator(request, workspace)
      if (recipient === null) return json({ error: 'not_allowed' }, 403)
      return json(await sendTestMail(recipient, request.headers.get('accept-language'), ports))
    }
    if (!(await ports.isTask(request))) return json({ error: 'not_allowed' }, 403)
    if (ports.send === null) {
      await ports.reportNoMailServer()
      return json({ sent: 0 })
    }
    const { send } = ports
    const accountMails = await ports.accountMails.claim(maxMails)
    await sendAccountMails(accountMails, { ...ports.accountMails, send, siteUrl: ports.siteUrl })
    const invitations = await ports.invitations.claim(maxMails)
    await sendInvitations(invitations, { ...ports.invitations, send })
    const mails = await ports.mails.claim(maxMails)
    await sendMails(mails, {
      ...ports.mails,
      send,
      siteUrl: ports.siteUrl,
      unsubscribeUrl: (of) => `${ports.url}?${new URLSearchParams({ token: of })}`,
    })
    await ports.requestNextCall()
    return json({ sent: accountMails.length + invitations.length + mails.length })
  } catch (error) {
    // What was claimed is due again when its lease has passed.
    console.error('Mails were not sent.', error instanceof Error ? error.message : error)
    return json({ error: 'unfinished' }, 500)
  }
}

const testTimeoutMs = 15_000

/** Mails an administrator. `problem` is null if the mail server has accepted the mail. */
async function sendTestMail(
  recipient: string,
  language: string | null,
  { send, siteUrl }: Ports,
): Promise<{ recipient: string; problem: ProblemKind | null }> {
  if (send === null) return { recipient, problem: 'unreachable' }
  const texts = testMailTexts(language)
  const { language: name } = textsOf(language)
  const content = `<h1 style="${styles.heading}">${escapeHtml(texts.subject)}</h1><p>${escapeHtml(texts.text)}</p>
<p class="muted line" style="${styles.footer}">${escapeHtml(siteUrl)}</p>`
  const result = await send(
    {
      id: crypto.randomUUID(),
      recipient,
      subject: texts.subject,
      html: page(name, texts.subject, content),
      plain: [texts.text, '', siteUrl, ''].join('\n'),
    },
    { markDelivering: async () => true, signal: AbortSignal.timeout(testTimeoutMs) },
  )
  return { recipient, problem: result.outcome === 'accepted' ? null : problemOf(result.reason) }
}

/** The kind of problem of a reason of `SmtpSender`, as `app.problem_kind` of the database. */
function problemOf(reason: string): ProblemKind {
  if (/\bEAUTH\b/.test(reason)) return 'sign_in'
  if (/\bETLS\b/.test(reason)) return 'certificate'
  if (/ETIMEDOUT|ABORT/i.test(reason)) return 'timeout'
  if (/ECONN|EDNS|ESOCKET|ENOTFOUND/.test(reason)) return 'unreachable'
  return /\b[45]\d\d\b/.test(reason) ? 'refused' : 'other'
}

async function respondToToken(token: string, request: Request, ports: Ports): Promise<Response> {
  const isConfirmed = request.method === 'POST'
  const settings = `${ports.siteUrl}/settings/notifications`
  if (!isConfirmed && !ports.servesHtml) {
    return new Response(null, { status: 303, headers: { location: settings } })
  }
  let found: Awaited<ReturnType<Ports['unsubscribe']>>
  try {
    found = await ports.unsubscribe(token, isConfirmed)
  } catch (error) {
    if (!(error instanceof Error) || error.message !== 'not_allowed') throw error
    const texts = textsOf(request.headers.get('accept-language'))
    return showPage(texts, texts.badLinkTitle, escapeHtml(texts.badLink), 403, settings)
  }
  const texts = textsOf(found.language)
  if (isConfirmed) {
    return showPage(texts, texts.doneTitle, escapeHtml(texts.done(found.workspace)), 200, settings)
  }
  const form = `${escapeHtml(texts.confirm(found.workspace))}</p>
<form method="post" action="${escapeHtml(`${ports.url}?${new URLSearchParams({ token })}`)}">
<button class="button" style="${styles.button}">${escapeHtml(texts.confirmButton)}</button>
</form><p>`
  return showPage(texts, texts.confirmTitle, form, 200, settings)
}

function showPage(
  texts: LocalTexts,
  title: string,
  content: string,
  status: number,
  settings: string,
): Response {
  const body = `<h1 style="${styles.heading}">${escapeHtml(title)}</h1><p>${content}</p>
<p class="muted line" style="${styles.footer}"><a class="muted" style="${styles.footerLink}" href="${escapeHtml(settings)}">${escapeHtml(texts.settings)}</a></p>`
  return new Response(page(texts.language, title, body), {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    },
  })
}
