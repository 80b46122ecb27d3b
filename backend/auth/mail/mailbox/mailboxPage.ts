import { escapeHtml } from '../templates/renderTemplate.ts'
import type { MailboxMessage } from './mailbox.ts'

const style = `
  :root { color-scheme: light dark; --paper: #f8f4ed; --sheet: #fffdf9; --ink: #2b2621; --soft: #7a7064; --line: #e6ddd0 }
  @media (prefers-color-scheme: dark) {
    :root { --paper: #1d1a17; --sheet: #26221e; --ink: #efe8dd; --soft: #a2978a; --line: #3a342e }
  }
  body { margin: 0; padding: 32px 16px; background: var(--paper); color: var(--ink); font: 15px/22px system-ui, sans-serif }
  main { max-width: 640px; margin: 0 auto }
  h1 { font-size: 22px; line-height: 28px; margin: 0 0 4px }
  .hint { color: var(--soft); margin: 0 0 24px }
  article { background: var(--sheet); border: 1px solid var(--line); border-radius: 8px; padding: 20px; margin: 0 0 16px }
  h2 { font-size: 16px; margin: 0 }
  .meta { color: var(--soft); font-size: 13px; margin: 0 0 12px; overflow-wrap: anywhere }
  .open { display: inline-block; padding: 10px 18px; margin: 0 16px 8px 0; background: var(--ink); color: var(--sheet);
    border-radius: 8px; text-decoration: none; font-weight: 600 }
  .code { font: 600 22px/42px ui-monospace, monospace; letter-spacing: 3px }
  pre { margin: 12px 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit; font-size: 13px }
  summary { color: var(--soft); font-size: 13px; cursor: pointer }
`

/** The page of mails that were not sent anywhere. Shows text alone: a mail's HTML never runs here. */
export function renderMailboxPage(messages: MailboxMessage[]): string {
  const list =
    messages.length === 0
      ? '<p>No mail yet. Ask for a link, and it will be here within a few seconds.</p>'
      : messages.map(renderMessage).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta http-equiv="refresh" content="10">
<title>Mailbox</title><style>${style}</style>
</head>
<body><main>
<h1>Mailbox</h1>
<p class="hint">What would be sent by mail or as a text message waits here, as nothing is set up to send it. Only this machine can open this page.</p>
${list}
</main></body>
</html>
`
}

function renderMessage(message: MailboxMessage): string {
  const link =
    message.link && /^https?:\/\//.test(message.link)
      ? `<a class="open" href="${escapeHtml(message.link)}" rel="noreferrer">Open the link</a>`
      : ''
  const code = message.code ? `<span class="code">${escapeHtml(message.code)}</span>` : ''
  const text = `<pre>${escapeHtml(message.text)}</pre>`
  // A text message is a line or two; only mails have HTML.
  const words = message.html === '' ? text : `<details><summary>The whole mail</summary>${text}</details>`
  return `<article>
<h2>${escapeHtml(message.subject)}</h2>
<p class="meta">To ${escapeHtml(message.to)}, <time>${escapeHtml(message.sentAt)}</time></p>
${link}${code}
${words}
</article>`
}
