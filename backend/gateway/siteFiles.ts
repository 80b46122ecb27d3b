import { securityHeaders } from './securityHeaders.ts'

/**
 * The files that a static host needs besides the built application, by name: its run-time configuration, and headers and
 * page fallback in the format of Netlify and Cloudflare Pages.
 * @param o.site address of the application; `url` is that of the backend
 */
export function siteFiles(o: {
  site: string
  url: string
  key: string
  installation: string
}): Record<string, string> {
  const block = (path: string, headers: Record<string, string>): string =>
    [path, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`), ''].join('\n')
  return {
    'linnet.json': `${JSON.stringify({ url: o.url, key: o.key, installation: o.installation })}\n`,
    _headers: [
      block('/*', securityHeaders(o.site, o.url)),
      block('/assets/*', { 'cache-control': 'public, max-age=31536000, immutable' }),
      block('/linnet.json', { 'cache-control': 'no-cache' }),
      // A cached worker would serve a build that no longer exists.
      block('/service-worker.js', { 'cache-control': 'no-cache' }),
    ].join('\n'),
    _redirects: '/w/* /web.html 200\n/* /index.html 200\n',
  }
}
