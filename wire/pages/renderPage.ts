import { sha256 } from '@noble/hashes/sha2.js'
import { escapeHtml } from '../escapeHtml.ts'

const style = `:root{color-scheme:light dark;--page:#fffdfb;--text:#2b2622;--line:#e2dcd5;--quiet:#6b6560;--shade:#f5f1ed;--accent:#2f6f8f}
@media (prefers-color-scheme:dark){:root{--page:#1d1a18;--text:#ece6e0;--line:#403c38;--quiet:#a9a19a;--shade:#292522;--accent:#8cc3dd}}
*{box-sizing:border-box}
body{max-width:46rem;margin:0 auto;padding:1.5rem 1rem 3rem;font:1rem/1.5 system-ui,sans-serif;background:var(--page);color:var(--text);overflow-wrap:anywhere}
a{color:var(--accent)}h1{font-size:1.375rem;line-height:1.3}h2{font-size:1.0625rem;margin-top:2rem}
article,section{padding:.625rem 0;border-top:1px solid var(--line)}
section article{border-top:0}.context{color:var(--quiet)}
article.reply{margin-inline-start:1.5rem;padding-inline-start:.75rem;border-inline-start:2px solid var(--line)}
p,ul,ol,dl,blockquote,pre,.scroll{margin:.25rem 0}.scroll{width:fit-content;max-width:100%}time,.quiet{font-size:.8125rem;color:var(--quiet)}
.quiet time{font-size:inherit}.tag{font-size:.75rem;color:var(--quiet);border:1px solid var(--line);border-radius:.25rem;padding:0 .25rem}
pre,.scroll{overflow-x:auto}pre,code{background:var(--shade);font-size:.875rem}pre{padding:.5rem}code{padding:0 .125rem}
blockquote{padding-inline-start:.75rem;border-inline-start:3px solid var(--line)}
blockquote+blockquote{margin-top:.75rem}hr{border:0;border-top:1px solid var(--line)}summary{cursor:pointer}
table{border-collapse:collapse;overflow-wrap:normal}th,td{border:1px solid var(--line);padding:.25rem .5rem;text-align:start}
td.center,th.center{text-align:center}td.end,th.end{text-align:end}
img{display:block;max-width:100%;max-height:24rem;margin:.25rem 0;border-radius:.25rem}
.red{border-color:#d05a4e}.orange{border-color:#d9822b}.yellow{border-color:#c9a227}.green{border-color:#4c9a5b}.blue{border-color:#4a86c5}.purple{border-color:#8f6bc4}
dl{display:grid;grid-template-columns:repeat(auto-fit,minmax(12rem,1fr));gap:.25rem 1rem}dd{margin:0}.wide{grid-column:1/-1}
.title{font-weight:600}.poll{list-style:none;padding:0}.poll li{margin:.375rem 0}progress{display:block;width:100%;height:.5rem;accent-color:var(--accent)}
.reactions span,.links a,nav a,nav strong{margin-inline-end:.75rem}`

/** The only style that the policy allows. Pictures are files beside the page; nothing is requested from a server. */
const policy = `default-src 'none'; base-uri 'none'; form-action 'none'; img-src file: 'self'; style-src 'sha256-${btoa(String.fromCharCode(...sha256(new TextEncoder().encode(style))))}'`

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

/** A link to another file of the archive, relative to the page. */
export const entryLink = (path: string, text: string, attributes = ''): string =>
  `<a href="${escapePath(path)}"${attributes}>${escapeHtml(text)}</a>`

/** A relative path as the value of an attribute. The first "./" keeps a name with a colon from being the scheme of an address. */
export const escapePath = (path: string): string =>
  escapeHtml(`./${path.split('/').map(encodeURIComponent).join('/')}`)
