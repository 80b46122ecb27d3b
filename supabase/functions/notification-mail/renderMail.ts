import { LANGUAGES, type Language } from '../../../wire/languages.ts'
import { cutText } from '../../../wire/texts.ts'
import { messageLine } from '../_shared/messageLine.ts'
import { textsOf, type LocalTexts } from './texts.ts'

/** What a mail contains, as `claim_mails` returns it. */
export interface MailContent {
  /** Of the recipient. */
  name: string
  /** Of the recipient, an IANA name; null: unknown. */
  time_zone: string | null
  /** The name of the workspace. */
  workspace: string
  language: string
  delay_minutes: number | null
  /** How many messages there are; some of them may not be quoted. */
  total: number
  conversations: {
    kind: 'public' | 'private' | 'direct' | 'group'
    /** A channel with `#`, or the names of the others. */
    title: string
    messages: {
      author: string
      created_at: string
      /** In the application. */
      path: string
      /** In Markdown; null: texts are not mailed. */
      text: string | null
    }[]
  }[]
}

export interface MailLinks {
  /** The address of the application, without a trailing slash. */
  site: string
  unsubscribe: string
}

const maxTextCharacters = 400
const maxSubjectCharacters = 150

/** The mail in its recipient's language, as HTML without images, scripts or anything from elsewhere, and as plain text. */
export function renderMail(
  content: MailContent,
  links: MailLinks,
): { subject: string; html: string; plain: string } {
  const texts = textsOf(content.language)
  const subject = cutText(subjectOf(content, texts), maxSubjectCharacters, '…')
  const quoted = content.conversations.reduce((sum, { messages }) => sum + messages.length, 0)
  const more = content.total - quoted
  const conversations = content.conversations.map(({ title, messages }) => ({
    title,
    messages: messages.map((message) => ({
      author: message.author,
      time: timeOf(message.created_at, content.time_zone, texts.locale),
      url: links.site + message.path,
      text: message.text === null ? null : cutText(messageLine(message.text), maxTextCharacters, '…') || '…',
    })),
  }))
  const settings = `${links.site}/settings/notifications`
  const reason = texts.reason(content.workspace, content.delay_minutes ?? 0)
  return { subject, html: html(), plain: plain() }

  function plain(): string {
    return [
      subject,
      ...conversations.flatMap(({ title, messages }) => [
        `\n${title}\n`,
        ...messages.map(({ author, time, text, url }) =>
          [`${author}${time ? `, ${time}` : ''}:`, ...(text === null ? [] : [text]), url, ''].join('\n'),
        ),
      ]),
      ...(more > 0 ? [`${texts.more(more)}: ${links.site}/activity\n`] : []),
      '-- ',
      reason,
      `${texts.settings}: ${settings}`,
      `${texts.unsubscribe}: ${links.unsubscribe}`,
      '',
    ].join('\n')
  }

  function html(): string {
    const body = conversations
      .map(
        ({ title, messages }) => `
<h2 style="${styles.title}">${escapeHtml(title)}</h2>
${messages
  .map(
    ({
      author,
      time,
      text,
      url,
    }) => `<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="margin: 0 0 12px"><tr><td class="line" style="${styles.message}">
<strong>${escapeHtml(author)}</strong>${time ? ` <span class="muted" style="${styles.time}">${escapeHtml(time)}</span>` : ''}${text === null ? '' : `<br />${escapeHtml(text)}`}<br />
<a class="link" href="${escapeHtml(url)}" style="${styles.link}">${escapeHtml(texts.open)}</a>
</td></tr></table>`,
  )
  .join('\n')}`,
      )
      .join('\n')
    const rest =
      more > 0
        ? `<p style="margin: 20px 0 0"><a class="link" href="${escapeHtml(`${links.site}/activity`)}" style="${styles.more}">${escapeHtml(texts.more(more))}</a></p>`
        : ''
    return page(
      texts.language,
      subject,
      `<h1 style="${styles.heading}">${escapeHtml(subject)}</h1>
${body}
${rest}
<p style="margin: 28px 0"><a class="button" href="${escapeHtml(links.site)}/" style="${styles.button}">${escapeHtml(texts.openLinnet)}</a></p>
<p class="muted line" style="${styles.footer}">${escapeHtml(reason)}<br />
<a class="muted" href="${escapeHtml(settings)}" style="${styles.footerLink}">${escapeHtml(texts.settings)}</a> ·
<a class="muted" href="${escapeHtml(links.unsubscribe)}" style="${styles.footerLink}">${escapeHtml(texts.unsubscribe)}</a></p>`,
    )
  }
}

function subjectOf({ total, workspace, conversations }: MailContent, texts: LocalTexts): string {
  const [first, ...others] = conversations
  if (first === undefined || others.length > 0) return texts.several(total, workspace)
  const authors = new Set(first.messages.map(({ author }) => author))
  const [author] = authors
  if (first.kind === 'direct') return texts.direct(total, first.title)
  if (author === undefined || authors.size > 1 || total > first.messages.length)
    return texts.several(total, first.kind === 'group' ? workspace : first.title)
  return first.kind === 'group' ? texts.direct(total, author) : texts.mention(author, first.title)
}

/** Date and time where the recipient is; empty if that is unknown. */
function timeOf(time: string, timeZone: string | null, locale: string): string {
  if (timeZone === null) return ''
  try {
    return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
      new Date(time),
    )
  } catch {
    // The profile has a time zone that this machine does not know.
    return ''
  }
}

/** Text as content or attribute of HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const font = "Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif"
export const styles = {
  heading: `margin: 0 0 24px; font: 650 22px/30px ${font}; letter-spacing: -0.01em`,
  title: `margin: 28px 0 10px; font: 600 16px/24px ${font}`,
  message: 'padding: 2px 0 2px 14px; border-left: 3px solid #e4dfd8',
  time: 'color: #6f675d; font-size: 13px',
  link: 'color: #2b2722; font-size: 13px',
  more: 'color: #2b2722',
  button:
    'display: inline-block; padding: 12px 22px; border: 0; border-radius: 8px; background: #2b2722; color: #fcfbf9; font: inherit; font-weight: 600; text-decoration: none; cursor: pointer',
  footer:
    'margin: 32px 0 0; padding-top: 16px; border-top: 1px solid #e4dfd8; color: #6f675d; font-size: 13px; line-height: 19px',
  footerLink: 'color: #6f675d',
} as const

/** A document in the style of the mails of the auth service, light or dark. */
export function page(language: Language, title: string, content: string): string {
  return `<!doctype html>
<html lang="${language}" dir="${LANGUAGES[language].direction}">
<head>
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width, initial-scale=1" />
<meta name="color-scheme" content="light dark" />
<meta name="supported-color-schemes" content="light dark" />
<title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark; supported-color-schemes: light dark; }
@media (prefers-color-scheme: dark) {
.paper { background: #1b1815 !important; color: #e8e4dd !important; }
.button { background: #e8e4dd !important; color: #1b1815 !important; }
.link { color: #e8e4dd !important; }
.muted { color: #a1988d !important; }
.line { border-color: #36302b !important; }
}
</style>
</head>
<body class="paper" style="margin: 0; padding: 0; background: #fcfbf9; color: #2b2722">
<table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" border="0" style="background: #fcfbf9; color: #2b2722">
<tr><td align="center" style="padding: 48px 24px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width: 520px">
<tr><td style="font: 400 16px/24px ${font}; text-align: left; overflow-wrap: anywhere; word-break: break-word">
${content}
</td></tr></table>
</td></tr></table>
</body>
</html>
`
}
