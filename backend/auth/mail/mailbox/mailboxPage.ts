import { escapeHtml } from '../templates/renderTemplate.ts'
import type { MailboxMessage } from './mailbox.ts'

const style = `
  :root { color-scheme: light dark; --paper: #fcfbf9; --raised: #f4f1ec; --ink: #2b2722; --soft: #6f675d; --line: #e4dfd8 }
  @media (prefers-color-scheme: dark) {
    :root { --paper: #1b1815; --raised: #25211d; --ink: #e8e4dd; --soft: #a1988d; --line: #36302b }
  }
  * { box-sizing: border-box }
  body { margin: 0; padding: 40px 20px; background: var(--paper); color: var(--ink); overflow-wrap: anywhere;
    font: 15px/22px Inter, system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif }
  main { max-width: 660px; margin: 0 auto }
  h1 { font-weight: 650; font-size: 22px; line-height: 30px; letter-spacing: -.01em; margin: 0 0 4px }
  h2 { font-size: 16px; line-height: 24px; font-weight: 650; margin: 0 }
  a { color: inherit; text-underline-offset: 3px; text-decoration-thickness: 1px }
  h2 a { text-decoration-color: var(--line) }
  h2 a:hover { text-decoration-color: currentColor }
  :focus-visible { outline: 2px solid var(--ink); outline-offset: 2px; border-radius: 4px }
  .hint, .meta { color: var(--soft) }
  .hint { margin: 0 0 32px; max-width: 60ch }
  article { padding: 20px 0; border-top: 1px solid var(--line) }
  header { display: flex; flex-wrap: wrap; justify-content: space-between; align-items: baseline; column-gap: 16px }
  .meta { font-size: 13px; line-height: 18px; margin: 0; font-variant-numeric: tabular-nums }
  .actions { display: flex; flex-wrap: wrap; align-items: center; gap: 12px 16px; margin: 14px 0 0 }
  .open { display: inline-flex; align-items: center; min-height: 44px; padding: 0 20px; border-radius: 8px;
    background: var(--ink); color: var(--paper); font-weight: 600; text-decoration: none }
  .code { display: inline-flex; align-items: center; min-height: 44px; padding: 0 16px; border-radius: 8px;
    background: var(--raised); font: 600 20px/1 ui-monospace, 'SF Mono', Menlo, Consolas, monospace;
    letter-spacing: .16em; user-select: all }
  pre { margin: 12px 0 0; white-space: pre-wrap; font: inherit }
  iframe { display: block; width: 100%; height: 620px; margin: 20px 0; border: 1px solid var(--line);
    border-radius: 10px; background: var(--paper); resize: vertical }
  summary { color: var(--soft); font-size: 13px; cursor: pointer }
`

function renderDocument(title: string, refresh: boolean, inner: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">${refresh ? '<meta http-equiv="refresh" content="10">' : ''}
<title>${escapeHtml(title)}</title><style>${style}</style>
</head>
<body><main>
${inner}
</main></body>
</html>
`
}

/**
 * The list of messages, newest first, with their links and codes. It reloads every 10 s.
 * @param path the path of this page, below which each message has its own
 */
export function renderMailboxPage(path: string, messages: MailboxMessage[]): string {
  const list =
    messages.length === 0
      ? '<p>No messages yet. Request a link or a code, and it will appear here within a few seconds.</p>'
      : messages.map((message) => renderMessage(path, message)).join('\n')
  return renderDocument(
    'Mailbox',
    true,
    `<h1>Mailbox</h1>
<p class="hint">Emails and text messages appear here if no SMTP server or SMS provider is configured. This page is only available on this machine.</p>
${list}`,
  )
}

function renderMessage(path: string, message: MailboxMessage): string {
  // A text message is shown whole; a mail has its own page, which does not reload while it is read.
  const body = isSms(message) ? `<pre>${escapeHtml(message.text)}</pre>` : ''
  const subject = escapeHtml(message.subject)
  const title = isSms(message) ? subject : `<a href="${escapeHtml(path)}/${message.id}">${subject}</a>`
  return `<article>
${renderHead(message, `<h2>${title}</h2>`)}
${body}
${renderActions(message)}
</article>`
}

/** One mail as its recipient would see it; its HTML is in a sandboxed frame. */
export function renderMailPage(path: string, message: MailboxMessage): string {
  const body = isSms(message)
    ? `<pre>${escapeHtml(message.text)}</pre>`
    : `<iframe sandbox title="The mail" src="${escapeHtml(path)}/${message.id}/html"></iframe>
<details><summary>Without HTML</summary><pre>${escapeHtml(message.text)}</pre></details>`
  return renderDocument(
    message.subject,
    false,
    `<p class="meta"><a href="${escapeHtml(path)}">Mailbox</a></p>
${renderHead(message, `<h1>${escapeHtml(message.subject)}</h1>`)}
${renderActions(message)}
${body}`,
  )
}

function isSms(message: MailboxMessage): boolean {
  return message.html === ''
}

function renderHead(message: MailboxMessage, title: string): string {
  // In the time zone of this machine, the only one that can open the page.
  const sent = new Date(message.sentAt).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' })
  return `<header>${title}
<p class="meta"><time datetime="${escapeHtml(message.sentAt)}">${escapeHtml(sent)}</time></p></header>
<p class="meta">To ${escapeHtml(message.to)}</p>`
}

function renderActions(message: MailboxMessage): string {
  const link =
    message.link && /^https?:\/\//.test(message.link)
      ? `<a class="open" href="${escapeHtml(message.link)}" rel="noreferrer">Open the link</a>`
      : ''
  const code = message.code ? `<span class="code">${escapeHtml(message.code)}</span>` : ''
  return link + code === '' ? '' : `<p class="actions">${link}${code}</p>`
}
