import { escapeHtml, page, styles } from './renderMail.ts'
import { textsOf } from './texts.ts'

/** What a mail about an account contains, as `claim_account_mails` returns it. */
export interface AccountMailContent {
  about: 'recovery_code_used' | 'deletion_requested' | 'account_deleted'
  language: string
  used_at: string
  /** How many recovery codes the account has left. */
  remaining: number
  /** When the requested deletion of the account begins. */
  due_at: string | null
}

/** A mail about an account, as HTML and as plain text. It contains no link that signs in. */
export function renderAccountMail(
  content: AccountMailContent,
  siteUrl: string,
): { subject: string; html: string; plain: string } {
  const { recovery, deletion, language, locale } = textsOf(content.language)
  const format = (time: string): string =>
    `${new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(new Date(time))} UTC`
  const mails = {
    recovery_code_used: () => ({
      subject: recovery.subject,
      about: [recovery.used(format(content.used_at)), recovery.effect, recovery.remaining(content.remaining)],
      link: { text: recovery.open, url: `${siteUrl}/settings/security` },
      note: recovery.notYou,
    }),
    deletion_requested: () => ({
      subject: deletion.subject,
      about: [
        deletion.requested(format(content.used_at)),
        deletion.due(format(content.due_at ?? content.used_at)),
      ],
      link: { text: deletion.keep, url: `${siteUrl}/` },
      note: deletion.notYou,
    }),
    account_deleted: () => ({
      subject: deletion.doneSubject,
      about: [deletion.done],
      link: null,
      note: siteUrl,
    }),
  }
  const { subject, about, link, note } = mails[content.about]()
  const html = `<h1 style="${styles.heading}">${escapeHtml(subject)}</h1>
${about.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
${link === null ? '' : `<p style="margin: 28px 0"><a class="button" href="${escapeHtml(link.url)}" style="${styles.button}">${escapeHtml(link.text)}</a></p>`}
<p class="muted line" style="${styles.footer}">${escapeHtml(note)}</p>`
  return {
    subject,
    html: page(language, subject, html),
    plain: [
      subject,
      '',
      ...about,
      '',
      ...(link === null ? [] : [`${link.text}:`, link.url, '']),
      note,
      '',
    ].join('\n'),
  }
}
