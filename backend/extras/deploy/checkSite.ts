import { isSecretKey } from '../../gateway/isSecretKey.ts'
import { ask } from './ask.ts'
import type { Findings } from './Report.ts'

/** Asks a static host for the application and its `linnet.json`, and whether they name the home at `url`. */
export async function checkSite(
  o: { site: string; url: string; key: string | null },
  findings: Findings,
): Promise<void> {
  const [page, file] = await Promise.all([
    ask(`${o.site}/`, { headers: { accept: 'text/html' } }),
    ask(`${o.site}/linnet.json`),
  ])
  if (!page || page.status !== 200) {
    findings.miss('site', `${o.site} does not show the application (${page?.status ?? 'no answer'}).`)
    return
  }
  const deep = await ask(`${o.site}/setup`, { headers: { accept: 'text/html' } })
  if (deep?.status !== 200) {
    findings.miss(
      'site',
      `${o.site}/setup is not found: the host has to answer every page's address with index.html.`,
    )
  }
  checkPolicy(page.headers.get('content-security-policy'), o, findings)
  if (file?.status !== 200 || !file.json) {
    findings.miss(
      'linnet.json',
      `${o.site}/linnet.json is missing: it tells the application where its backend is.`,
    )
    return
  }
  const { url, key } = file.json as { url?: unknown; key?: unknown }
  const named = typeof url === 'string' ? url.replace(/\/+$/, '') : o.site
  if (named !== o.url)
    findings.miss('linnet.json', `${o.site}/linnet.json names the backend ${named}, not ${o.url}`)
  if (typeof key !== 'string' || key === '') {
    findings.miss('linnet.json', `${o.site}/linnet.json names no key.`)
  } else if (isSecretKey(key)) {
    findings.miss(
      'linnet.json',
      `${o.site}/linnet.json shows a secret key to everyone. Put the publishable one there, and replace the secret one at once.`,
    )
  } else if (o.key !== null && key !== o.key) {
    const known = await ask(`${o.url}/auth/v1/settings`, { headers: { apikey: key } })
    if (known?.status !== 200)
      findings.miss('linnet.json', `The key in ${o.site}/linnet.json is not one of ${o.url}`)
  }
}

function checkPolicy(policy: string | null, o: { site: string; url: string }, findings: Findings): void {
  if (policy === null) {
    findings.miss('headers', `${o.site} is served without a content security policy: docs/hosted.md has one.`)
    return
  }
  const sources = /(?:^|;)\s*connect-src ([^;]*)/.exec(policy)?.[1] ?? ''
  const own = o.site === o.url && sources.includes("'self'")
  const { origin, host } = new URL(o.url)
  if (own || (sources.includes(origin) && new RegExp(`wss?://${host.replaceAll('.', '\\.')}`).test(sources)))
    return
  findings.miss(
    'headers',
    `The content security policy of ${o.site} does not let pages reach ${origin} and its sockets.`,
  )
}
