import { createHash } from 'node:crypto'
import { escapeHtml } from '../../../../wire/escapeHtml.ts'

const style = `:root{color-scheme:light dark;--line:#ddd8d2;--quiet:#6b6560;--shade:#f4f1ee}
@media (prefers-color-scheme:dark){:root{--line:#403c38;--quiet:#a39c95;--shade:#262320}}
body{max-width:46rem;margin:0 auto;padding:1.5rem 1rem;font:1rem/1.5 system-ui,sans-serif}
h1{font-size:1.375rem}h2{font-size:1.0625rem;margin-top:2rem}
article{padding:.5rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
article.reply{margin-inline-start:1.5rem;padding-inline-start:.75rem;border-inline-start:2px solid var(--line)}
article p,ul{margin:.25rem 0}time,.quiet{font-size:.8125rem;color:var(--quiet)}
pre,.scroll{overflow-x:auto}pre,code{background:var(--shade);font-size:.875rem}pre{padding:.5rem}
blockquote{margin:.25rem 0;padding-inline-start:.75rem;border-inline-start:3px solid var(--line)}
table{border-collapse:collapse}th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:start}
td.center,th.center{text-align:center}td.end,th.end{text-align:end}
img{display:block;max-width:100%;max-height:24rem;margin:.25rem 0}
.reactions span{margin-inline-end:.75rem}nav a,nav strong{margin-inline-end:.75rem}`

/** The only style that the policy allows. Pictures are files beside the page; nothing is requested from a server. */
const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; img-src file: 'self'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`

/** A whole page. `content` is HTML. */
export const renderPage = (title: string, content: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${escapeHtml(policy)}">
<meta name="viewport" content="width=device-width"><meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><h1 dir="auto">${escapeHtml(title)}</h1>
${content}
</body></html>
`

/** A link to another entry of the archive, relative to the page. */
export const entryLink = (path: string, text: string, attributes = ''): string =>
  `<a href="${escapePath(path)}"${attributes}>${escapeHtml(text)}</a>`

/** A relative path as the value of an attribute. The first "./" keeps a name with a colon from being the scheme of an address. */
export const escapePath = (path: string): string =>
  escapeHtml(`./${path.split('/').map(encodeURIComponent).join('/')}`)
