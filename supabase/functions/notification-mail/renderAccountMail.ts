import { escapeHtml, page, styles } from './renderMail.ts'
import { textsOf } from './texts.ts'

/** What the mail about a used recovery code contains, as `claim_account_mails` returns it. */
export interface AccountMailContent {
  language: string
  used_at: string
  /** How many codes the account has left. */
  remaining: number
}

/** The mail about a used recovery code, as HTML and as plain text. It contains no link that signs in. */
export function renderAccountMail(
  content: AccountMailContent,
  siteUrl: string,
): { subject: string; html: string; plain: string } {
  const { recovery: texts, language, locale } = textsOf(content.language)
  const usedAt = new Intl.DateTimeFormat(locale, {
    dateStyle: 'long',
    timeStyle: 'short',
    timeZone: 'UTC',
  }).format(new Date(content.used_at))
  const about = [texts.used(`${usedAt} UTC`), texts.effect, texts.remaining(content.remaining)]
  const url = `${siteUrl}/settings/security`
  const html = `<h1 style="${styles.heading}">${escapeHtml(texts.subject)}</h1>
${about.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n')}
<p style="margin: 28px 0"><a class="button" href="${escapeHtml(url)}" style="${styles.button}">${escapeHtml(texts.open)}</a></p>
<p class="muted line" style="${styles.footer}">${escapeHtml(texts.notYou)}</p>`
  return {
    subject: texts.subject,
    html: page(language, texts.subject, html),
    plain: [texts.subject, '', ...about, '', `${texts.open}:`, url, '', texts.notYou, ''].join('\n'),
  }
}
