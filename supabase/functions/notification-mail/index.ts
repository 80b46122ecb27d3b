// Sends mails of unread messages, and ends them for those who unsubscribe. Called by the database when some are due.
import { call, isTask } from '../_shared/service.ts'
import { createSmtpSender, type Smtp } from '../../../backend/runtime/smtp/createSmtpSender.ts'
import { respond } from './respond.ts'
import type { ClaimedMail } from './sendMails.ts'

const url = Deno.env.get('SUPABASE_URL')!
const publicUrl = (Deno.env.get('SUPABASE_PUBLIC_URL') ?? url).replace(/\/$/, '')
/** The embedded backend serves the application too; elsewhere it has an address of its own. */
const siteUrl = (Deno.env.get('SITE_URL') ?? Deno.env.get('SUPABASE_PUBLIC_URL'))?.replace(/\/$/, '')

/** The names are those of a self-hosted Supabase; the embedded backend sets them from `[auth.email.smtp]`. */
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

Deno.serve((request) =>
  respond(request, {
    isTask,
    send,
    claim: async () => (await call<{ mails: ClaimedMail[] }>('claim_mails', {})).mails,
    begin: async (job, attempt) =>
      (await call<{ permitted: boolean }>('begin_mail', { job, attempt })).permitted,
    async finish(results) {
      await call('finish_mails', { results })
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
