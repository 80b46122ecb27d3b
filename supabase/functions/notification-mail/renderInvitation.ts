import { cutText } from '../../../wire/texts.ts'
import { escapeHtml, page, styles } from './renderMail.ts'
import { textsOf } from './texts.ts'

/** What the mail of an invitation contains, as `claim_invitations` returns it. */
export interface InvitationContent {
  /** The name of its author. */
  invited_by: string
  workspace: string
  language: string
  expires_at: string
  /** When the guest can first join, if it is in the future; else null. */
  starts_at: string | null
}

/** What opens the invitation. The sign-in link, valid for an hour, opens it without another mail. */
export interface InvitationLinks {
  url: string
  /** The code of the sign-in link; null: the link does not sign in. */
  code: string | null
}

const maxSubjectCharacters = 150

/** The mail of an invitation, as HTML and as plain text. */
export function renderInvitation(
  content: InvitationContent,
  { url, code }: InvitationLinks,
): { subject: string; html: string; plain: string } {
  const { invitation: texts, language, locale } = textsOf(content.language)
  const title = texts.subject(content.invited_by, content.workspace)
  const format = (time: string, options: Intl.DateTimeFormatOptions = {}): string =>
    new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone: 'UTC', ...options }).format(new Date(time))
  const expires = texts.expires(format(content.expires_at))
  const about = [
    texts.about(content.workspace),
    ...(content.starts_at === null
      ? []
      : [texts.starts(`${format(content.starts_at, { timeStyle: 'short' })} UTC`)]),
  ].join(' ')
  const small = [expires, ...(code === null ? [] : [texts.code(code)]), texts.unknown(content.invited_by)]
  const html = `<h1 style="${styles.heading}">${escapeHtml(title)}</h1>
<p>${escapeHtml(about)}</p>
<p style="margin: 28px 0"><a class="button" href="${escapeHtml(url)}" style="${styles.button}">${escapeHtml(texts.open)}</a></p>
<p class="muted line" style="${styles.footer}">${small.map(escapeHtml).join('<br />\n')}</p>`
  return {
    subject: cutText(title, maxSubjectCharacters, '…'),
    html: page(language, title, html),
    plain: [title, '', about, '', `${texts.open}:`, url, '', ...small, ''].join('\n'),
  }
}
