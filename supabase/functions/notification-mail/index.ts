// Sends mails of unread messages and invitations, and handles unsubscriptions. The database calls it when mails are
// due.
import { call, isTask, service } from '../_shared/service.ts'
import { createSmtpSender } from '../../../backend/runtime/smtp/createSmtpSender.ts'
import type { Smtp } from '../../../backend/runtime/smtp/smtpOptions.ts'
import { respond } from './respond.ts'
import type { ClaimedAccountMail, ClaimedInvitation, ClaimedMail, MailQueue } from './sendMails.ts'

const url = Deno.env.get('SUPABASE_URL')!
const publicUrl = (Deno.env.get('SUPABASE_PUBLIC_URL') ?? url).replace(/\/$/, '')
/**
 * The address of the application. The embedded backend serves the application too; on other backends it has its own
 * address.
 */
const siteUrl = (Deno.env.get('SITE_URL') ?? Deno.env.get('SUPABASE_PUBLIC_URL'))?.replace(/\/$/, '')

/**
 * Reads the mail server from variables with the names of a self-hosted Supabase. The embedded backend sets them from
 * `[auth.email.smtp]`.
 */
function readSmtp(): Smtp | null {
  const host = Deno.env.get('SMTP_HOST')
  const address = Deno.env.get('SMTP_ADMIN_EMAIL')
  if (!host || !address) return null
  if (siteUrl === undefined) {
    console.error('No mail is sent: SITE_URL, the address of the application, is not set.')
    return null
  }
  return {
    host,
    port: Number(Deno.env.get('SMTP_PORT') ?? 465),
    user: Deno.env.get('SMTP_USER') ?? '',
    password: Deno.env.get('SMTP_PASS') ?? '',
    from: { name: Deno.env.get('SMTP_SENDER_NAME') ?? 'Linnet', address },
  }
}
const smtp = readSmtp()
const send = smtp && createSmtpSender(smtp)

function queue(begin: string, finish: string): MailQueue {
  return {
    begin: async (job, attempt) => (await call<{ permitted: boolean }>(begin, { job, attempt })).permitted,
    async finish(results) {
      await call(finish, { results })
    },
  }
}

/** Creates the link of an invitation, which also signs its recipient in during the first hour. */
async function createLinks({ to, token }: ClaimedInvitation): Promise<{ url: string; code: string | null }> {
  const site = siteUrl ?? publicUrl
  const { data, error } = await service.auth.admin.generateLink({ type: 'magiclink', email: to })
  // Without the auth service's link people request one when they open the invitation.
  if (error) return { url: `${site}/join#${token}`, code: null }
  const { hashed_token: hash, email_otp: code, verification_type: type } = data.properties
  const query = new URLSearchParams({
    token_hash: hash,
    type: type === 'signup' ? 'signup' : 'email',
    next: `/join?invitation=${token}`,
  })
  return { url: `${site}/confirm?${query}#${encodeURIComponent(to)}`, code }
}

/** Owners and admins of the first workspace see the health of the server, and may have it mail them. */
async function findAdministrator({ headers }: Request, workspace: string): Promise<string | null> {
  const authorization = headers.get('authorization') ?? ''
  const apikey = Deno.env.get('SUPABASE_ANON_KEY')!
  const response = await fetch(`${url}/rest/v1/rpc/workspace_health`, {
    method: 'POST',
    headers: { apikey, authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ workspace }),
  })
  if (!response.ok || !((await response.json()) as { server: object | null }).server) return null
  const { data } = await service.auth.getUser(authorization.replace(/^bearer /i, ''))
  return data.user?.email ?? null
}

Deno.serve((request) =>
  respond(request, {
    isTask,
    send,
    mails: {
      claim: async (max) => (await call<{ mails: ClaimedMail[] }>('claim_mails', { max_mails: max })).mails,
      ...queue('begin_mail', 'finish_mails'),
    },
    invitations: {
      claim: async (max) =>
        (await call<{ mails: ClaimedInvitation[] }>('claim_invitations', { max_mails: max })).mails,
      ...queue('begin_invitation', 'finish_invitations'),
      createLinks,
    },
    findAdministrator,
    accountMails: {
      claim: async (max) =>
        (await call<{ mails: ClaimedAccountMail[] }>('claim_account_mails', { max_mails: max })).mails,
      ...queue('begin_account_mail', 'finish_account_mails'),
    },
    async requestNextCall() {
      await call('finish_mails', { results: [], is_last: true })
    },
    async reportNoMailServer() {
      await call('report_no_mail_server', {})
    },
    unsubscribe: (token, isConfirmed) => call('unsubscribe_mail', { token, is_confirmed: isConfirmed }),
    siteUrl: siteUrl ?? publicUrl,
    url: `${publicUrl}/functions/v1/notification-mail`,
    servesHtml: !new URL(publicUrl).hostname.endsWith('.supabase.co'),
  }),
)
