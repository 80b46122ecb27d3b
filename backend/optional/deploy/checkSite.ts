import { isSecretKey } from '../../gateway/isSecretKey.ts'
import { fetchText } from './fetchText.ts'
import type { Findings } from './Report.ts'

/** Fetches the application and its `linnet.json` from a static host, and checks that they name the backend at `url`. */
export async function checkSite(
  o: { site: string; url: string; key: string | null },
  findings: Findings,
): Promise<void> {
  const [page, file] = await Promise.all([
    fetchText(`${o.site}/`, { headers: { accept: 'text/html' } }),
    fetchText(`${o.site}/linnet.json`),
  ])
  if (!page || page.status !== 200) {
    findings.reportMissing(
      'site',
      `${o.site} does not serve the application (${page?.status ?? 'no response'}).`,
    )
    return
  }
  const deep = await fetchText(`${o.site}/setup`, { headers: { accept: 'text/html' } })
  if (deep?.status !== 200) {
    findings.reportMissing(
      'site',
      `${o.site}/setup is not found: the host has to serve index.html for every page URL.`,
    )
  }
  checkPolicy(page.headers.get('content-security-policy'), o, findings)
  if (file?.status !== 200 || !file.json) {
    findings.reportMissing(
      'linnet.json',
      `${o.site}/linnet.json is missing: it contains the URL of the backend.`,
    )
    return
  }
  const { url, key } = file.json as { url?: unknown; key?: unknown }
  const named = typeof url === 'string' ? url.replace(/\/+$/, '') : o.site
  if (named !== o.url)
    findings.reportMissing('linnet.json', `${o.site}/linnet.json names the backend ${named}, not ${o.url}`)
  if (typeof key !== 'string' || key === '') {
    findings.reportMissing('linnet.json', `${o.site}/linnet.json contains no key.`)
  } else if (isSecretKey(key)) {
    findings.reportMissing(
      'linnet.json',
      `${o.site}/linnet.json exposes a secret key. Put the publishable key there, and replace the secret key at once.`,
    )
  } else if (o.key !== null && key !== o.key) {
    const known = await fetchText(`${o.url}/auth/v1/settings`, { headers: { apikey: key } })
    if (known?.status !== 200)
      findings.reportMissing('linnet.json', `The key in ${o.site}/linnet.json is not one of ${o.url}`)
  }
}

function checkPolicy(policy: string | null, o: { site: string; url: string }, findings: Findings): void {
  if (policy === null) {
    findings.reportMissing(
      'headers',
      `${o.site} is served without a content security policy: see docs/hosted.md.`,
    )
    return
  }
  const sources = /(?:^|;)\s*connect-src ([^;]*)/.exec(policy)?.[1] ?? ''
  const isSameOrigin = o.site === o.url && sources.includes("'self'")
  const { origin, host } = new URL(o.url)
  if (
    isSameOrigin ||
    (sources.includes(origin) && new RegExp(`wss?://${host.replaceAll('.', '\\.')}`).test(sources))
  )
    return
  findings.reportMissing(
    'headers',
    `The content security policy of ${o.site} does not allow connections to ${origin} and its WebSockets.`,
  )
}
