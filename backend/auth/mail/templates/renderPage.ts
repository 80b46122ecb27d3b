/** The content of a mail; all of it is template text, and HTML in it stays HTML. */
export interface MailPage {
  /** The tag of its language; English if missing. */
  language?: string
  title: string
  /** Instead of the title, above the text. */
  heading?: string
  /** One text per paragraph. */
  paragraphs: string[]
  /** The only link, as a button. */
  button?: { text: string; href: string }
  /** Text above the code, if the mail shows it. */
  code?: string
  /** What to do if the mail was not expected; in small print. */
  ifUnexpected?: string
  /** The sender; in small print at the end. */
  sender: string
}

const sans = "Inter,system-ui,-apple-system,'Segoe UI',Roboto,sans-serif"
const mono = "ui-monospace,'SF Mono',Menlo,Consolas,monospace"

/**
 * The dark colours. Mail clients that ignore this or adapt colours themselves use the light ones, which are
 * inline since some clients ignore everything else.
 */
export const darkStyle = `:root { color-scheme: light dark; supported-color-schemes: light dark }
@media (prefers-color-scheme: dark) {
  .paper { background: #1b1815 !important; color: #e8e4dd !important }
  .button { background: #e8e4dd !important; color: #1b1815 !important }
  .code { background: #25211d !important; color: #e8e4dd !important }
  .muted { color: #a1988d !important }
  .line { border-color: #36302b !important }
}`

/** The HTML of a mail in one column. The layout is a table, since Outlook supports nothing else. */
export function renderPage(page: MailPage): string {
  const { language = 'en', title, heading = title, paragraphs, button, code, ifUnexpected, sender } = page
  const paragraph = (text: string): string => `<p style="margin:0 0 20px">${text}</p>`
  const parts = [
    `<h1 style="margin:0 0 12px;font:650 22px/30px ${sans};letter-spacing:-.01em">${heading}</h1>`,
    ...paragraphs.map(paragraph),
    ...(button
      ? [
          `<p style="margin:28px 0"><a class="button" href="${button.href}" style="display:inline-block;padding:12px 22px;border-radius:8px;background:#2b2722;color:#fcfbf9;font-weight:600;text-decoration:none">${button.text}</a></p>`,
        ]
      : []),
    ...(code
      ? [
          paragraph(code),
          `<p class="code" style="margin:0 0 28px;padding:14px 20px;border-radius:10px;background:#f4f1ec;font:600 30px/40px ${mono};letter-spacing:.18em;text-align:center">{{ .Token }}</p>`,
        ]
      : []),
    `<p class="muted line" style="margin:32px 0 0;padding-top:16px;border-top:1px solid #e4dfd8;color:#6f675d;font-size:13px;line-height:19px">${ifUnexpected ? `${ifUnexpected}<br>` : ''}${sender}</p>`,
  ]
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${title}</title>
<style>
${darkStyle}
</style>
</head>
<body class="paper" style="margin:0;padding:0;background:#fcfbf9;color:#2b2722">
<table role="presentation" class="paper" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:#fcfbf9;color:#2b2722"><tr><td align="center" style="padding:48px 24px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:460px"><tr><td style="font:400 16px/24px ${sans};text-align:left;overflow-wrap:anywhere">
${parts.join('\n')}
</td></tr></table>
</td></tr></table>
</body>
</html>
`
}
